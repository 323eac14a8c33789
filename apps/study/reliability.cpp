#include "reliability.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "commands.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/disk.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/results/run_folder.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/threads.hpp"
#include "study_output.hpp"

namespace stiffly::app {
namespace {

namespace fs = std::filesystem;

/// Where a run stops by itself in the preparation of one that goes on.
constexpr long steps_before = 4;

/// A way to use a folder; all of them end with the same results.
struct Way {
  std::string name, what;
  bool prepared;  ///< an interrupted run is there before
  std::function<void(const fs::path& folder)> run;
};

Scene scene_of(const std::string& integrator) {
  const std::vector<Override> changes = {
      {"count", "6"},       {"integrator", integrator}, {"duration", "0.013"}, {"step", "0.0013"},
      {"stiffness", "3e4"}, {"records", "700"},         {"frames", "1100"}};
  return load_scene(find_scene("chain"), changes);
}

void simulate(const std::string& integrator, RunOptions options, long most_steps = 1000) {
  options.checkpoint_seconds = 0;
  RunObserver observer;
  observer.step = [=](const State&, const SimulationSummary& s) { return s.steps < most_steps; };
  SceneRun(scene_of(integrator), std::move(options)).simulate(observer);
}

void prepare(const std::string& integrator, const fs::path& folder) {
  simulate(integrator, {.folder = folder, .vtu = true}, steps_before);
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

/// A run's results, as far as they must be the same: frames by their numbers, run.json without times.
using Results = std::map<std::string, std::string>;

std::string frame_numbers(const fs::path& path) {
  const Hdf5Reader file(path);
  std::string out = "frames: ";  // none at all are whole, too
  for (const char* name : {"time", "position", "velocity"})
    for (const double value : file.numbers(name)) out += fmt::format("{:a} ", value);
  return out;
}

/// Of a folder; empty values for files that are not whole.
Results results(const fs::path& folder) {
  Results out;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name.front() == '.' || name == "checkpoint.bin") continue;
    try {
      if (name == "frames.h5")
        out[name] = frame_numbers(entry.path());
      else if (name == "run.json")
        out[name] = nlohmann::json::parse(read_file(entry.path(), 1 << 30)).at("status").get<std::string>();
      else
        out[name] = read_file(entry.path(), 1 << 30);
    } catch (const std::exception&) {
      out[name].clear();
    }
  }
  return out;
}

struct Count {
  int tried = 0;
  int noticed = 0;  ///< ended with exit code 4, or by the kill
  int unnoticed = 0;
  int wrong_end = 0;  ///< a crash, or another exit code
  int not_whole = 0;  ///< files that look complete and are not
  int strays = 0;     ///< unfinished files left by a process that lived to its end
  int lost = 0;       ///< there was something to go on from, and then there was not
  int different = 0;  ///< went on, and the results are others

  int bad() const { return unnoticed + wrong_end + not_whole + strays + lost + different; }
};

class Experiment {
 public:
  explicit Experiment(const Way& way) : way_(way) {
    // In memory, where there is such a file system: nobody waits for a disk.
    const fs::path shm = "/dev/shm";
    root_ = (::access(shm.c_str(), W_OK) == 0 ? shm : fs::temp_directory_path()) /
            fmt::format("stiffly-reliability-{}", getpid());
    begin();
    int operations[2];
    if (pipe(operations) != 0) throw FileError("no pipe can be made");
    const int status = apart([&] {
      int count = 0;
      set_disk_hook([&](DiskOperation, const fs::path&) { return ++count, DiskFault{}; });
      way_.run(root_);
      if (write(operations[1], &count, sizeof count) != sizeof count) throw FileError("the pipe is broken");
    });
    if (!ended(status, done) || read(operations[0], &operations_, sizeof operations_) != sizeof operations_)
      throw SimulationError("the run without faults failed");
    for (const int end : operations) close(end);
    target_ = fs::exists(root_ / "other") ? "other" : "out";
    whole_ = results(root_ / target_);
  }
  ~Experiment() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  int operations() const { return operations_; }

  /// With what `fault` says of the n-th operation.
  void try_fault(Count& count, const std::function<DiskFault(int n, DiskOperation)>& fault, bool harmless) {
    begin();
    ++count.tried;
    bool met = true;
    const int status = apart([&] {
      int n = 0;
      set_disk_hook([&](DiskOperation operation, const fs::path&) { return fault(n++, operation); });
      way_.run(root_);
    });
    if (ended(status, file_failed))
      ++count.noticed;
    else if (ended(status, done))
      met = harmless;
    else
      ++count.wrong_end;
    count.unnoticed += !met;
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      count.strays += entry.path().extension() == ".part";
    judge(count);
  }

  void try_kill(Count& count, int n) {
    begin();
    ++count.tried;
    const int status = apart([&] {
      int number = 0;
      set_disk_hook([&](DiskOperation, const fs::path&) {
        if (number++ == n) raise(SIGKILL);
        return DiskFault{};
      });
      way_.run(root_);
    });
    ++(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? count.noticed : count.unnoticed);
    judge(count);
  }

  /// At any moment of its life.
  void try_kill_after(Count& count, int microseconds) {
    begin();
    ++count.tried;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      way_.run(root_);
      _exit(done);
    }
    usleep(static_cast<useconds_t>(microseconds));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ++count.noticed;  // it may have ended by itself before
    judge(count);
  }

 private:
  void begin() {
    fs::remove_all(root_);
    fs::create_directories(root_);
    if (way_.prepared && !ended(apart([&] { prepare("bdf2", root_ / "out"); }), done))
      throw SimulationError("the run before the faults failed");
  }

  /// What is in the folder is whole, and going on from it ends as the whole run does.
  void judge(Count& count) {
    for (const auto& [name, content] : results(root_ / target_))
      if (content.empty() || (name == "run.json" && content != "done" && content != "interrupted"))
        ++count.not_whole;
    const Results there = results(root_ / target_);
    if (there.contains("run.json") && there.at("run.json") == "done" && there != whole_) ++count.not_whole;
    const bool over = way_.name == "over";
    const auto resumable = [&](const char* folder) {
      return fs::exists(RunFolder(root_ / folder).checkpoint());
    };
    // A new run over an old one removes the old one's checkpoint, as it should.
    if (way_.prepared && !over && !resumable("out") && !resumable(target_.c_str())) {
      ++count.lost;
      return;
    }
    const std::string from = resumable(target_.c_str()) ? target_ : resumable("out") ? "out" : "";
    const int status = apart([&] {
      simulate("bdf2",
               {.folder = root_ / target_, .resume = from.empty() ? fs::path() : root_ / from, .vtu = true});
    });
    if (!ended(status, done))
      ++count.lost;
    else
      count.different += results(root_ / target_) != whole_;
  }

  const Way& way_;
  fs::path root_;
  std::string target_;
  int operations_ = 0;
  Results whole_;
};

struct Row {
  std::string way, kind;
  Count count;
};

std::string page_of(const std::vector<Row>& rows) {
  std::string page =
      "# What failing disks and kills leave\n\nMade by `stiffly reproduce reliability --scale full`. Runs of "
      "ten "
      "steps with ten checkpoints, frames, and files for ParaView; every operation they make on files (open, "
      "write, sync, truncate, close, rename, remove, make a folder) fails once, or is the moment of a kill "
      "-9. "
      "Afterwards the folder is looked at, and the run is taken up from what is there.\n\n"
      "*noticed*: ended with exit code 4 and a message, or by the kill. *unnoticed*: ended with exit code 0 "
      "though "
      "something was not written. *not whole*: a file that looks complete and is not. *strays*: unfinished "
      "files "
      "that stayed after a process which lived to its end. *lost*: nothing to go on from, or it could not be "
      "gone "
      "on from. *different*: went on, and a result differs in a bit from that of a run without faults.\n\n"
      "| run | fault | tried | noticed | unnoticed | other ends | not whole | strays | lost | different |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  Count faults, kills;
  for (const auto& [way, kind, c] : rows) {
    page += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", way, kind, c.tried,
                        c.noticed, c.unnoticed, c.wrong_end, c.not_whole, c.strays, c.lost, c.different);
    Count& sum = kind.starts_with("kill") ? kills : faults;
    sum.tried += c.tried;
    sum.lost += c.bad();
  }
  page += fmt::format(
      "\n{} faults, {} of them with a bad end; {} kills, {} with a bad end.\n\nShort writes that succeed in "
      "a "
      "second part are no failures and end with exit code 0. A loss of power is not among these: files are "
      "synced "
      "before they get their names, which nothing here could show.\n",
      faults.tried, faults.lost, kills.tried, kills.lost);
  return page;
}

}  // namespace

int measure_reliability(const ReliabilityOptions& o) {
  set_thread_count(1);  // a process with one thread can be forked
  const bool full = o.scale == "full";
  std::vector<Row> rows;
  int bad = 0;
  for (const Way& way : ways(full)) {
    Experiment experiment(way);
    const auto row = [&](const std::string& kind, const auto& trials) {
      Count count;
      trials(count);
      bad += count.bad();
      fmt::print("{:<10} {:<32} {:>5} tried, {} with a bad end\n", way.name, kind, count.tried, count.bad());
      rows.push_back({way.what, kind, count});
    };
    const auto every = [&](const auto& trial) {
      return [&](Count& count) {
        for (int n = 0; n < experiment.operations(); ++n) trial(count, n);
      };
    };
    const auto fails = [&](DiskFault fault) {
      return every([&, fault](Count& count, int n) {
        experiment.try_fault(
            count, [=](int number, DiskOperation) { return number == n ? fault : DiskFault{}; },
            fault.error == 0);
      });
    };
    row("the disk is full from there on", every([&](Count& count, int n) {
          experiment.try_fault(
              count,
              [=](int number, DiskOperation operation) {
                const bool needs_space =
                    operation == DiskOperation::write || operation == DiskOperation::sync;
                return DiskFault{number >= n && needs_space ? ENOSPC : 0, true};
              },
              true);
        }));
    if (full) {
      row("input/output error", fails({EIO, false}));
      row("error after half a write", fails({ENOSPC, true}));
      row("short write", fails({0, true}));
    }
    row("kill -9 at the operation", every([&](Count& count, int n) { experiment.try_kill(count, n); }));
    if (full)
      row("kill -9 at a random moment", [&](Count& count) {
        std::minstd_rand random(7);
        for (int i = 0; i < 40; ++i) experiment.try_kill_after(count, static_cast<int>(random() % 60000));
      });
  }
  write_file(fs::path(o.output) / "reliability.md", page_of(rows) + fmt::format("\n{}\n", footer()));
  fmt::print("{}/reliability.md\n", o.output);
  return bad == 0 ? done : simulation_failed;
}

}  // namespace stiffly::app
