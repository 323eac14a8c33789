// stiffly movie, stiffly picture: runs drawn as the viewer shows them.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include "command_line.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/view/capture.hpp"
#include "view.hpp"

namespace stiffly::app {
namespace {

namespace fs = std::filesystem;

struct DrawingOptions {
  std::vector<std::string> folders;
  std::string output, size = "1280x720";
  view::PictureOrder order;
  double time = 0, rate = 25, speed = 1;
};

/// "1280x720"
void read_size(DrawingOptions& o) {
  int used = 0;
  const bool read = std::sscanf(o.size.c_str(), "%dx%d%n", &o.order.width, &o.order.height, &used) == 2 &&
                    static_cast<std::size_t>(used) == o.size.size();
  constexpr int least = 64, most = 4096;
  for (const int side : {o.order.width, o.order.height})
    if (!read || side < least || side > most || side % 2 != 0)
      throw InputError(fmt::format("--size must be WIDTHxHEIGHT with even numbers from {} to {}, not '{}'",
                                   least, most, o.size));
}

/// When the runs begin and end.
std::pair<double, double> span_of(const std::vector<std::shared_ptr<view::RunSource>>& runs,
                                  const std::vector<std::string>& folders) {
  double first = INFINITY, last = -INFINITY;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string bytes = runs[i]->times(0);
    std::vector<double> times(bytes.size() / sizeof(double));
    std::memcpy(times.data(), bytes.data(), times.size() * sizeof(double));
    if (times.empty()) throw InputError(fmt::format("{}: there are no frames to draw", folders[i]));
    first = std::min(first, times.front());
    last = std::max(last, times.back());
  }
  return {first, last};
}

int picture(DrawingOptions& o) {
  read_size(o);
  const auto runs = open_runs(o.folders);
  const auto [first, last] = span_of(runs, o.folders);
  if (!(o.time >= first && o.time <= last))
    throw InputError(fmt::format("--time {} s: frames are from {} s to {} s", o.time, first, last));
  o.order.times = {o.time};
  const fs::path path = o.output.empty() ? fs::path(o.folders.front()) / "picture.png" : fs::path(o.output);
  draw_pictures(view::page_folder(this_program()), runs, o.order,
                [&](std::size_t, const std::string& png) { write_file(path, png); });
  fmt::print("{}\n", path.string());
  return done;
}

fs::path find_ffmpeg() {
  if (const auto found = find_program("ffmpeg")) return *found;
  throw FileError("movies are made by ffmpeg, which is not installed: apt-get install ffmpeg");
}

void wait_for(RunningProgram& program, const char* what) {
  while (!program.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (program.status() != 0)
    throw FileError(fmt::format("ffmpeg could not make {}: {}", what, program.output()));
}

std::vector<double> movie_times(const DrawingOptions& o, double first, double last) {
  if (!(o.rate > 0 && o.rate <= 240 && o.speed > 0))
    throw InputError("--fps must be above 0 and at most 240, --speed above 0");
  const auto count = std::floor((last - first) * o.rate / o.speed * (1 + 1e-12)) + 1;
  constexpr double most = 100'000;
  if (!(count <= most))
    throw InputError(
        fmt::format("{:.3g} pictures are too many: take a larger --speed or a smaller --fps", count));
  std::vector<double> out;
  for (double k = 0; k < count; ++k) out.push_back(first + k * o.speed / o.rate);
  return out;
}

int movie(DrawingOptions& o) {
  read_size(o);
  const fs::path ffmpeg = find_ffmpeg();
  view::find_browser();
  const auto runs = open_runs(o.folders);
  const auto [first, last] = span_of(runs, o.folders);
  o.order.times = movie_times(o, first, last);
  const fs::path name =
      fs::absolute(o.output.empty() ? fs::path(o.folders.front()) / "movie" : fs::path(o.output));
  const ScratchFolder scratch;
  const fs::path mp4 = scratch.path() / "movie.mp4", gif = scratch.path() / "movie.gif";
  const std::string rate = fmt::format("{}", o.rate);
  RunningProgram encoder(
      ffmpeg, {"-y",      "-loglevel", "error", "-f",        "image2pipe", "-framerate", rate,
               "-c:v",    "png",       "-i",    "-",         "-c:v",       "libx264",    "-pix_fmt",
               "yuv420p", "-crf",      "18",    "-movflags", "+faststart", mp4.string()},
      scratch.path(), RunningProgram::Input::written);
  draw_pictures(view::page_folder(this_program()), runs, o.order, [&](std::size_t k, const std::string& png) {
    encoder.write(png);
    if ((k + 1) % 50 == 0 || k + 1 == o.order.times.size())
      fmt::print(stderr, "stiffly: {} of {} pictures\n", k + 1, o.order.times.size());
  });
  encoder.end_of_input();
  wait_for(encoder, "an MP4");
  RunningProgram palette(
      ffmpeg,
      {"-y", "-loglevel", "error", "-i", mp4.string(), "-vf",
       fmt::format(
           "fps={},scale='min(640,iw)':-1:flags=lanczos,split[a][b];[a]palettegen[p];[b][p]paletteuse",
           std::min(o.rate, 25.0)),
       gif.string()},
      scratch.path());
  wait_for(palette, "a GIF");
  for (const auto& [from, ending] : {std::pair{mp4, ".mp4"}, std::pair{gif, ".gif"}}) {
    const fs::path path = name.string() + ending;
    write_file(path, read_file(from, std::uintmax_t{1} << 34));
    fmt::print("{}\n", path.string());
  }
  return done;
}

void add_drawing_options(CLI::App& command, DrawingOptions& o) {
  command.add_option("DIR", o.folders, "Folder of a run, or of two to be shown side by side")
      ->required()
      ->expected(1, 2);
  command.add_option("--size", o.size, "WIDTHxHEIGHT in pixels");
  command.add_option(
      "--colour", o.order.quantity,
      "What is shown as colour: speed, strain, force, energy, contact, touched, difference, plain");
  command.add_option("--magnify", o.order.magnification, "Show the motion so many times larger");
  command.add_flag("--dark", o.order.dark, "Light on dark");
}

}  // namespace

void add_movie(CLI::App& program, Action& action) {
  auto o = std::make_shared<DrawingOptions>();
  CLI::App* command = add_view_command(program, "movie");
  add_drawing_options(*command, *o);
  command->add_option("-o,--output", o->output, "Name of the files without .mp4 and .gif; else DIR/movie");
  command->add_option("--fps", o->rate, "Pictures per second of the movie");
  command->add_option("--speed", o->speed, "Simulated seconds per second of the movie");
  command->callback([o, &action] { action = [o] { return movie(*o); }; });
}

void add_picture(CLI::App& program, Action& action) {
  auto o = std::make_shared<DrawingOptions>();
  CLI::App* command = add_view_command(program, "picture");
  add_drawing_options(*command, *o);
  command->add_option("--time", o->time, "When, s: the last frame up to then")->required();
  command->add_option("-o,--output", o->output, "The PNG file; else DIR/picture.png");
  command->callback([o, &action] { action = [o] { return picture(*o); }; });
}

}  // namespace stiffly::app
