// A folder for one process at a time.
#pragma once

#include <filesystem>
#include <vector>

namespace stiffly {

/// Holds a folder until its own end or that of the process, however that ends: the lock is the system's
/// (flock of the file `.lock` in it), not the file's being there. The file says who holds it. Folders that
/// are not there are made, and go again if nothing was put into them.
///
/// File systems without locks lock nothing.
class FolderLock {
 public:
  /// Throws FileError where another process (or another FolderLock) holds the folder, and says which.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  /// False if the file was removed by its last holder meanwhile.
  bool take();
  void introduce() const;
  void release();

  std::filesystem::path folder_, path_;
  std::vector<std::filesystem::path> made_;  ///< from the outermost on
  int file_ = -1;
};

}  // namespace stiffly
