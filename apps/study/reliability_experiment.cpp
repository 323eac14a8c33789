#include "reliability_experiment.hpp"

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "jumping_clock.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/results/run_folder.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/stopwatch.hpp"

namespace stiffly::app {
namespace {

namespace fs = std::filesystem;

/// Where a run stops by itself in the preparation of one that goes on.
constexpr long steps_before = 2;

/// One whose pictures are charts, which are drawn quickly.
Scene scene_of(const std::string& integrator) {
  const std::vector<Override> changes = {{"integrator", integrator},
                                         {"duration", "0.35"},
                                         {"step", "0.07"},
                                         {"records", "13"},
                                         {"frames", "13"}};
  return load_scene(find_scene("fput"), changes);
}

void simulate(const std::string& integrator, RunOptions options, long most_steps = 1000) {
  options.checkpoint_seconds = 0;
  RunObserver observer;
  observer.step = [=](const State&, const SimulationSummary& s) { return s.steps < most_steps; };
  SceneRun(scene_of(integrator), std::move(options)).simulate(observer);
}

/// In another process, so that it can be killed and leaves nothing behind here; what waitpid says.
int apart(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw FileError("no process can be started");
  if (child == 0) {
    try {
      work();
    } catch (const FileError&) {
      _exit(file_failed);
    } catch (const std::exception&) {
      _exit(wrong_input);
    }
    _exit(done);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool ended(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

std::string numbers_of(const Hdf5Reader& file, const char* name) {
  std::string out = fmt::format("{}:", name);  // none at all are whole, too
  for (const double value : file.numbers(name)) out += fmt::format(" {:a}", value);
  return out;
}

/// A file system in memory, over a folder.
class SmallDisk {
 public:
  explicit SmallDisk(fs::path folder) : folder_(std::move(folder)) {
    there_ = mount("stiffly", folder_.c_str(), "tmpfs", 0, "size=1g") == 0;
  }
  ~SmallDisk() {
    if (there_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool there() const { return there_; }
  /// Room for so many pages beside what is there.
  void leave(unsigned long pages) {
    struct statvfs now {};
    if (statvfs(folder_.c_str(), &now) != 0)
      throw FileError("the small file system cannot be asked for its size");
    resize(fmt::format("size={}", (now.f_blocks - now.f_bfree + pages) * now.f_frsize));
  }
  void be_large() { resize("size=1g"); }

 private:
  void resize(const std::string& size) {
    if (mount("stiffly", folder_.c_str(), "tmpfs", MS_REMOUNT, size.c_str()) != 0)
      throw FileError("the small file system cannot be made another size");
  }

  fs::path folder_;
  bool there_;
};

}  // namespace

void Count::bad(int& kind, const std::string& remark) {
  ++kind;
  remarks.push_back(fmt::format("trial {}: {}", tried - 1, remark));
}

std::vector<Way> ways(bool all) {
  const auto fresh = [](const std::string& integrator, bool vtu) {
    return [=](const fs::path& folder) { simulate(integrator, {.folder = folder / "out", .vtu = vtu}); };
  };
  const auto resumed = [](const std::string& integrator, const char* to) {
    return [=](const fs::path& folder) {
      simulate(integrator, {.folder = folder / to, .resume = folder / "out", .vtu = true});
    };
  };
  std::vector<Way> out = {{"new", "a run into a new folder (bdf2)", false, fresh("bdf2", true)}};
  if (!all) return out;
  out.push_back({"over", "a run into the folder of another", true, fresh("bdf2", true)});
  out.push_back({"resumed", "a run that goes on in its folder", true, resumed("bdf2", "out")});
  out.push_back({"elsewhere", "a run that goes on in another folder", true, resumed("bdf2", "other")});
  return out;
}

Experiment::Results Experiment::results(const fs::path& folder) {
  Results out;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    const bool hidden = entry.path().filename().string().front() == '.';  // what a kill leaves unfinished
    if (!entry.is_regular_file() || hidden || name == "checkpoint.bin") continue;
    try {
      if (name == "frames.h5") {
        const Hdf5Reader file(entry.path());
        for (const char* data : {"time", "position", "velocity"})
          out[fmt::format("{} {}", name, data)] = numbers_of(file, data);
      } else if (name == "run.json") {
        out[name] = nlohmann::json::parse(read_file(entry.path(), 1 << 30)).at("status").get<std::string>();
      } else {
        out[name] = read_file(entry.path(), 1 << 30);
      }
    } catch (const std::exception&) {
      out[name].clear();
    }
  }
  return out;
}

Experiment::Experiment(const Way& way) : way_(way) {
  // In memory, where there is such a file system: nobody waits for a disk.
  const fs::path shm = "/dev/shm";
  root_ = (::access(shm.c_str(), W_OK) == 0 ? shm : fs::temp_directory_path()) /
          fmt::format("stiffly-reliability-{}", getpid());
  prepared_ = root_;
  prepared_ += "-prepared";
  fs::create_directories(root_);
  // Here, so that all trials find fonts and libraries loaded.
  simulate("bdf2", {.folder = prepared_ / "out", .vtu = true}, steps_before);
  if (!way.prepared) fs::remove_all(prepared_ / "out");
  before_ = results(prepared_ / "out");
  begin();
  int operations[2];
  if (pipe(operations) != 0) throw FileError("no pipe can be made");
  const Stopwatch watch;
  const int status = apart([&] {
    int count = 0;
    set_disk_hook([&](DiskOperation, const fs::path&) { return ++count, DiskFault{}; });
    way_.run(root_);
    if (write(operations[1], &count, sizeof count) != sizeof count) throw FileError("the pipe is broken");
  });
  seconds_ = watch.seconds();
  if (!ended(status, done) || read(operations[0], &operations_, sizeof operations_) != sizeof operations_)
    throw SimulationError("the run without faults failed");
  for (const int end : operations) close(end);
  target_ = fs::exists(root_ / "other") ? "other" : "out";
  whole_ = results(root_ / target_);
}

Experiment::~Experiment() {
  std::error_code ignored;
  for (const fs::path& folder : {root_, prepared_}) fs::remove_all(folder, ignored);
}

void Experiment::begin() {
  for (const auto& entry : fs::directory_iterator(root_)) fs::remove_all(entry);
  fs::copy(prepared_, root_, fs::copy_options::recursive);
}

bool Experiment::note_end(Count& count, int status) {
  count.noticed += ended(status, file_failed);
  if (!ended(status, file_failed) && !ended(status, done))
    count.bad(count.wrong_end, fmt::format("it ended with status {}", status));
  return !ended(status, done);
}

void Experiment::count_strays(Count& count) const {
  for (const auto& entry : fs::recursive_directory_iterator(root_))
    if (entry.path().extension() == ".part")
      count.bad(count.strays, entry.path().filename().string() + " stayed");
}

void Experiment::try_fault(Count& count, const std::function<DiskFault(int n, DiskOperation)>& fault,
                           bool harmless) {
  begin();
  ++count.tried;
  const int status = apart([&] {
    int n = 0;
    set_disk_hook([&](DiskOperation operation, const fs::path&) { return fault(n++, operation); });
    way_.run(root_);
  });
  if (!note_end(count, status) && !harmless) count.bad(count.unnoticed, "it ended as if nothing had been");
  count_strays(count);
  judge(count);
}

void Experiment::try_kill(Count& count, int operation) {
  begin();
  ++count.tried;
  const int status = apart([&] {
    int number = 0;
    set_disk_hook([&](DiskOperation, const fs::path&) {
      if (number++ == operation) raise(SIGKILL);
      return DiskFault{};
    });
    way_.run(root_);
  });
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    ++count.noticed;
  else
    count.bad(count.unnoticed, "it was not killed");
  judge(count);
}

void Experiment::try_kill_within(Count& count, double share) {
  begin();
  ++count.tried;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    way_.run(root_);
    _exit(done);
  }
  usleep(static_cast<useconds_t>(share * seconds_ * 1e6));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ++count.noticed;  // it may have ended by itself before
  judge(count);
}

void Experiment::try_clocks(Count& count) {
  begin();
  ++count.tried;
  const int status = apart([&] {
    let_clocks_jump();
    way_.run(root_);
  });
  if (note_end(count, status)) count.bad(count.wrong_end, "it failed");
  judge(count);
}

bool Experiment::try_small_disks(Count& count) {
  for (unsigned long pages = 1;; ++pages) {  // none at all would mean as many as there are
    SmallDisk disk(root_);
    if (!disk.there()) return false;
    begin();
    ++count.tried;
    disk.leave(pages);
    const int status = apart([&] { way_.run(root_); });
    note_end(count, status);
    disk.be_large();
    count_strays(count);
    judge(count);
    if (ended(status, done)) return true;
  }
}

bool Experiment::is_whole(const std::string& name, const std::string& content) const {
  const auto in = [&](const Results& run) { return run.contains(name) ? run.at(name) : std::string(); };
  if (content.empty()) return false;
  return name.starts_with("frames.h5 ") ? in(whole_).starts_with(content)
                                        : content == in(before_) || content == in(whole_);
}

/// What is in the folder is whole, and going on from it ends as the whole run does.
void Experiment::judge(Count& count) const {
  const Results there = results(root_ / target_);
  for (const auto& [name, content] : there)
    if (!is_whole(name, content)) count.bad(count.not_whole, name + " is not whole");
  if (there.contains("run.json") && there.at("run.json") == "done" && there != whole_)
    count.bad(count.not_whole, "it says that it is done, and is not");
  const auto resumable = [&](const std::string& folder) {
    return fs::exists(RunFolder(root_ / folder).checkpoint());
  };
  const std::string from = resumable(target_) ? target_ : resumable("out") ? "out" : "";
  // A new run over an old one removes the old one's checkpoint, as it should.
  if (way_.prepared && way_.name != "over" && from.empty())
    return count.bad(count.lost, "there is no checkpoint");
  const int status = apart([&] {
    simulate("bdf2",
             {.folder = root_ / target_, .resume = from.empty() ? fs::path() : root_ / from, .vtu = true});
  });
  if (!ended(status, done))
    count.bad(count.lost, fmt::format("it cannot be taken up (status {})", status));
  else if (results(root_ / target_) != whole_)
    count.bad(count.different, "taken up it ends with other results");
}

}  // namespace stiffly::app
