#include "stiffly/results/run_folder.hpp"

#include "stiffly/files/disk.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/file_image.hpp"
#include "stiffly/results/motion_picture.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;

void remove_vtu_series(const fs::path& folder) {
  remove_file(folder / "frames.pvd");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder / "frames", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("frame-") && name.ends_with(".vtu")) remove_file(entry.path());
  }
  remove_unfinished(folder / "frames");
  fs::remove(folder / "frames", ignored);  // where nothing else is in it
}

}  // namespace

void RunFolder::begin(bool goes_on) const {
  prepare_folder(path_);
  for (const char* name : {"run.json", "final.csv", "last_good.csv", "energy.csv", "counters.csv",
                           "motion.png", "balance.png", "movie.mp4", "movie.gif", "picture.png"})
    remove_file(path_ / name);
  remove_vtu_series(path_);
  remove_unfinished(path_);
  if (goes_on) return;
  remove_file(checkpoint());
  remove_file(frames());
  remove_file(FileImage::journal(frames()));  // after the file, which may not be whole without it
}

void RunFolder::write(const Scene& scene, const State& last, const Record& record, const RunReport& report,
                      bool pictures) const {
  const char* state_file = report.status == RunStatus::failed ? "last_good.csv" : "final.csv";
  write_file(path_ / state_file, state_csv(scene.positions(last), scene.velocities(last)));
  write_file(path_ / "energy.csv", energy_csv(record.energies));
  write_file(path_ / "counters.csv", counters_csv(record.work));
  if (pictures) {
    write_file(path_ / "motion.png", motion_png(scene, record));
    write_file(path_ / "balance.png", balance_png(scene.name, record));
  }
  write_file(path_ / "run.json", run_json(report));
}

}  // namespace stiffly
