// seeds FOLDER: inputs to start from for the formats that are the program's own, as it writes them today,
// into FOLDER/checkpoint and FOLDER/frames.
#include <cstdio>

#include "seeds.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/results/frame_file.hpp"

namespace {

using namespace stiffly;
namespace fs = std::filesystem;

void write_checkpoints(const fs::path& folder) {
  fs::create_directories(folder);
  const State start = fuzz::checkpoint_start(), now(0.5, start.y);
  SavedRun run;
  run.checkpoint = {
      .start = start, .state = now, .stepper = {{{1, 2}, {start.y}}, {0.5, 2, 3}}, .summary = {}};
  run.checkpoint.summary.steps = 10;
  run.checkpoint.summary.simulated_seconds = now.time;
  run.scene = "{}";
  run.record = {.energies = {{.time = 0}, {.time = 0.5}},
                .work = {{.time = 0}, {.time = 0.5}},
                .states = {start, now},
                .snapshots = {start}};
  run.source.path = "/a/b.toml";
  run.source.text = "[simulation]";
  run.source.overrides = {{"step", "0.1", "--step"}};
  write_checkpoint(folder / "as-it-is", {run.checkpoint, run.scene, run.record, run.source});
  std::string bytes = read_file(folder / "as-it-is", 1 << 20);
  read_checkpoint(folder / "as-it-is", "{}", start, 0);  // it is one
  write_file(folder / "inner", fuzz::inner_part(bytes));
}

void write_frames(const fs::path& folder) {
  fs::create_directories(folder);
  const std::vector<Point> x = {{0, 0, 0.3}, {1, 0.2, 0}}, v = {{0, 7, 0}, {0, 0, 0}};
  const auto write = [&](const char* name, const Topology& topology) {
    FrameFile file(folder / name, x.size(), topology);
    for (const double time : {0.0, 0.07, 0.13}) {
      FrameContents frame{time, x, v};
      if (topology.contact) frame.contact = {0, 3};
      frame.poses.resize(topology.obstacles.size());
      if (topology.contact_time) frame.contact_time = {0, 0.03, 0};
      file.add(frame);
    }
    file.flush();
  };
  write("springs", {.springs = {{0, 1}}, .materials = {{3e7, 0.7, 0, SpringLaw::cubic}}, .masses = {1, 2}});
  Topology touched;
  touched.contact = touched.contact_time = true;
  touched.obstacles = {{.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}}}};
  write("obstacles", touched);
  write("strands", {.strands = {{0, 2}}, .particle = {0, 1}});
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::puts("usage: seeds FOLDER"), 2;
  write_checkpoints(fs::path(arguments[1]) / "checkpoint");
  write_frames(fs::path(arguments[1]) / "frames");
}
