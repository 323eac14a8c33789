// All that changes files: one place, so that every failure is noticed, and can be brought about by a test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stiffly {

enum class DiskOperation { open, write, sync, truncate, close, rename, remove, make_folder };
std::string name_of(DiskOperation operation);

/// What happens instead of an operation.
struct DiskFault {
  int error = 0;            ///< as in errno, that it fails with; 0: it does not
  bool after_half = false;  ///< of a write: only half of the bytes are written (and the error comes then)
};

/// Is asked before every operation of this process. It may end the process, as a kill at that moment would.
using DiskHook = std::function<DiskFault(DiskOperation, const std::filesystem::path&)>;
/// For tests; an empty one takes it away.
void set_disk_hook(DiskHook hook);

/// A file being written. All throw FileError "NAME: cannot be written: why", where the name is that of the
/// file which is wanted in the end.
class OutputFile {
 public:
  enum class Mode {
    create,  ///< an empty file, whatever was there
    change,  ///< the file that is there
  };
  OutputFile(std::filesystem::path path, Mode mode, const std::filesystem::path& shown_as = {});
  /// Closes it if need be, without a word: what matters was synced or closed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::uint64_t offset, std::string_view bytes);
  void truncate(std::uint64_t size);
  /// On the disk when it returns, so that what is done afterwards survives a loss of power only together with
  /// it. Not in the first ten seconds of a process: work as short as that can be done again, and a disk may
  /// take longer.
  void sync();
  void close();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_, shown_;
  int file_ = -1;
};

/// Replaces what is there. Throws FileError.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// A file or an empty folder; nothing where there is none. Throws FileError.
void remove_file(const std::filesystem::path& path);
/// With its parents. Throws FileError.
void make_folder(const std::filesystem::path& path);

}  // namespace stiffly
