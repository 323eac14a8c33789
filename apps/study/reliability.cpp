#include "reliability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "commands.hpp"
#include "reliability_experiment.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/threads.hpp"
#include "study_output.hpp"

namespace stiffly::app {
namespace {

namespace fs = std::filesystem;

/// Operations at which a kind of fault is tried, at least, where there are as many.
constexpr int of_each_kind = 64;

struct FaultRow {
  std::string way, kind;
  Count count;
};

std::string page_of(const std::vector<FaultRow>& rows) {
  std::string page =
      "# What failing disks and kills leave\n\nMade by `stiffly reproduce reliability --scale full`. Runs of "
      "five steps with as many checkpoints, frames, and files for ParaView. Of the operations they make on "
      "files (open, write, sync, truncate, close, rename, remove, make a folder) sixty or more, spread "
      "evenly and others for each kind of fault, fail, or are the moments of a kill -9. Afterwards the "
      "folder is looked at, and the run is taken up from what is there, on a sound disk.\n\n"
      "*noticed*: ended with exit code 4 and a message, or by the kill. *unnoticed*: ended with exit code 0 "
      "though something was not written. *other ends*: a crash, or another exit code. *not whole*: a file "
      "that looks complete and is neither as before nor as it is in the end. *strays*: unfinished files that "
      "stayed after a process which lived to its end. *lost*: nothing to go on from, or it could not be gone "
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
      "\n{} faults, {} of them with a bad end; {} kills, {} with a bad end.\n\n"
      "Some faults do no harm, and the run then ends with exit code 0: short writes, whose rest is written "
      "after them; a full disk when nothing is left to write; clocks that jump, since nothing that is "
      "computed or kept depends on them. The small file systems are real ones (tmpfs, remounted with room "
      "for 1, 2, 3, … pages beside what is there); where they may not be mounted their rows are missing. A "
      "loss of power is not among these: files are synced before they get their names, which nothing here "
      "could show.\n",
      faults.tried, faults.lost, kills.tried, kills.lost);
  return page;
}

}  // namespace

int measure_reliability(const ReliabilityOptions& o) {
  set_thread_count(1);  // a process with one thread can be forked
  const bool full = o.scale == "full";
  const fs::path page = fs::path(o.output) / "reliability.md";  // written after every row: it takes a while
  std::vector<FaultRow> rows;
  int bad = 0;
  for (const Way& way : ways(full)) {
    Experiment experiment(way);
    const auto row = [&](const std::string& kind, const auto& trials) {
      Count count;
      trials(count);
      bad += count.bad();
      fmt::print("{:<10} {:<32} {:>5} tried, {} with a bad end\n", way.name, kind, count.tried, count.bad());
      for (const std::string& remark : count.remarks) fmt::print("    {}\n", remark);
      std::fflush(stdout);
      rows.push_back({way.what, kind, count});
      write_file(page, page_of(rows) + fmt::format("\n{}\n", footer()));
    };
    // At operations that are spread evenly, others for each kind of fault.
    const int stride = std::max(1, experiment.operations() / of_each_kind);
    int first = 0;
    const auto every = [&](const auto& trial) {
      return [&, trial, from = first++ % stride](Count& count) {
        for (int n = from; n < experiment.operations(); n += stride) trial(count, n);
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
    row("the clocks jump at every look", [&](Count& count) {
      for (int i = 0; i < 3; ++i) experiment.try_clocks(count);
    });
    Count small;
    if (experiment.try_small_disks(small))
      row("a file system with little room", [&](Count& count) { count = small; });
    if (full) {
      row("input/output error", fails({EIO, false}));
      row("error after half a write", fails({ENOSPC, true}));
      row("short write", fails({0, true}));
    }
    row("kill -9 at the operation", every([&](Count& count, int n) { experiment.try_kill(count, n); }));
    if (full)
      row("kill -9 at a random moment", [&](Count& count) {
        std::minstd_rand random(7);
        for (int i = 0; i < 40; ++i)
          experiment.try_kill_within(count, 1e-3 * static_cast<double>(random() % 1000));
      });
  }
  fmt::print("{}\n", page.string());
  return bad == 0 ? done : simulation_failed;
}

}  // namespace stiffly::app
