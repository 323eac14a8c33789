// Disks that fail: every operation that some work makes is made to fail in turn, and the process is killed at
// each.
#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <functional>

#include "stiffly/files/disk.hpp"

namespace stiffly::test {

/// Takes the hook away at its end.
class Hook {
 public:
  explicit Hook(DiskHook hook) { set_disk_hook(std::move(hook)); }
  ~Hook() { set_disk_hook({}); }
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
};

/// How many operations it makes.
inline int operations(const std::function<void()>& work) {
  int count = 0;
  const Hook hook([&](DiskOperation, const std::filesystem::path&) {
    ++count;
    return DiskFault{};
  });
  work();
  return count;
}

/// Does the work with a fault at its n-th operation, counted from 0.
inline void with_fault(int n, DiskFault fault, const std::function<void()>& work) {
  int count = 0;
  const Hook hook(
      [&](DiskOperation, const std::filesystem::path&) { return count++ == n ? fault : DiskFault{}; });
  work();
}

/// Does the work in another process, which is killed before its n-th operation; whether it was.
inline bool killed_at(int n, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    set_disk_hook([&](DiskOperation, const std::filesystem::path&) {
      if (count++ == n) raise(SIGKILL);
      return DiskFault{};
    });
    try {
      work();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

}  // namespace stiffly::test
