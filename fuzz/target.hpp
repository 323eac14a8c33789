// What all targets share. A target is a function that libFuzzer calls with one input after the other;
// whatever the library throws on purpose is an answer, everything else is a finding.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "stiffly/error.hpp"

namespace stiffly::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

template <class Work>
int tried(const Work& work) {
  try {
    work();
  } catch (const Error&) {
  }
  return 0;
}

/// A file in memory whose name has that ending, for readers that open their files themselves.
class InputFile {
 public:
  explicit InputFile(const std::string& ending) : file_(memfd_create("input", 0)) {
    char folder[] = "/tmp/stiffly-fuzz-XXXXXX";
    if (file_ < 0 || !mkdtemp(folder)) std::abort();
    folder_ = folder;
    path_ = folder_ / ("input" + ending);
    std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(file_), path_);
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    close(file_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& with(std::string_view bytes) const {
    if (ftruncate(file_, 0) != 0 || pwrite(file_, bytes.data(), bytes.size(), 0) < 0) std::abort();
    return path_;
  }

 private:
  int file_;
  std::filesystem::path folder_, path_;
};

}  // namespace stiffly::fuzz
