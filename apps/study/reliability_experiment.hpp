// Runs on disks that fail and runs that are killed, one trial at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stiffly/files/disk.hpp"

namespace stiffly::app {

/// A way to use a folder; all of them end with the same results.
struct Way {
  std::string name, what;
  bool prepared;  ///< an interrupted run is there before
  std::function<void(const std::filesystem::path& folder)> run;
};
/// The first, or all of them.
std::vector<Way> ways(bool all);

struct Count {
  int tried = 0;
  int noticed = 0;  ///< ended with exit code 4, or by the kill
  int unnoticed = 0;
  int wrong_end = 0;                      ///< a crash, or another exit code
  int not_whole = 0;                      ///< files that look complete and are not
  int strays = 0;                         ///< unfinished files left by a process that lived to its end
  int lost = 0;                           ///< there was something to go on from, and then there was not
  int different = 0;                      ///< went on, and the results are others
  std::vector<std::string> remarks = {};  ///< on what was bad, with the trial's number

  int bad() const { return unnoticed + wrong_end + not_whole + strays + lost + different; }
  void bad(int& kind, const std::string& remark);
};

/// A way, tried again and again from the same beginning. After every trial the folder is looked at, and the
/// run is taken up from what is there, on a sound disk.
class Experiment {
 public:
  explicit Experiment(const Way& way);
  ~Experiment();
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// That the run makes on files.
  int operations() const { return operations_; }

  /// With what `fault` says of the n-th operation; `harmless`: the run may well end as if nothing had been.
  void try_fault(Count& count, const std::function<DiskFault(int n, DiskOperation)>& fault, bool harmless);
  void try_kill(Count& count, int operation);
  /// After that share of the time that the run takes.
  void try_kill_within(Count& count, double share);
  /// With clocks that jump at every look.
  void try_clocks(Count& count);
  /// On a file system with room for every number of pages from one to what the run needs; false where this
  /// process may not make one.
  bool try_small_disks(Count& count);

 private:
  /// A run's results, as far as they must be the same: frames by their numbers, run.json without times. Empty
  /// for files that cannot be read.
  using Results = std::map<std::string, std::string>;
  static Results results(const std::filesystem::path& folder);

  void begin();
  /// Counts how it ended; false if it ended as if nothing had been.
  static bool note_end(Count& count, int status);
  void count_strays(Count& count) const;
  /// As it was before or is in the end; of frames the first ones.
  bool is_whole(const std::string& name, const std::string& content) const;
  void judge(Count& count) const;

  const Way& way_;
  std::filesystem::path root_, prepared_;  ///< where the trials are made, and what is there before each
  std::string target_;
  int operations_ = 0;
  double seconds_ = 0;  ///< that the run takes
  Results before_, whole_;
};

}  // namespace stiffly::app
