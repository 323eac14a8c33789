#include "stiffly/results/run_folder.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/results/motion_picture.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;

void remove_result(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error)
    throw FileError(
        fmt::format("{}: an earlier result cannot be removed: {}", path.string(), error.message()));
}

void remove_vtu_series(const fs::path& folder) {
  remove_result(folder / "frames.pvd");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder / "frames", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("frame-") && name.ends_with(".vtu")) remove_result(entry.path());
  }
  fs::remove(folder / "frames", ignored);  // where nothing else is in it
}

}  // namespace

void RunFolder::begin(bool goes_on) const {
  prepare_folder(path_);
  for (const char* name :
       {"run.json", "final.csv", "last_good.csv", "energy.csv", "counters.csv", "motion.png", "balance.png"})
    remove_result(path_ / name);
  remove_vtu_series(path_);
  if (goes_on) return;
  remove_result(checkpoint());
  remove_result(frames());
}

void RunFolder::write(const Scene& scene, const State& last, const Record& record,
                      const RunReport& report) const {
  const char* state_file = report.status == RunStatus::failed ? "last_good.csv" : "final.csv";
  write_file(path_ / state_file, state_csv(scene.positions(last), scene.velocities(last)));
  write_file(path_ / "energy.csv", energy_csv(record.energies));
  write_file(path_ / "counters.csv", counters_csv(record.work));
  write_file(path_ / "motion.png", motion_png(scene, record));
  write_file(path_ / "balance.png", balance_png(scene.name, record));
  write_file(path_ / "run.json", run_json(report));
}

}  // namespace stiffly
