// References on disk.
#pragma once

#include <optional>

#include "stiffly/study/reference.hpp"

namespace stiffly::study {

/// One file per key, named by the key's hash and holding the whole key, so that no other reference can pass
/// for it.
class ReferenceCache {
 public:
  /// An empty folder: nothing is found and nothing kept.
  ReferenceCache(std::filesystem::path folder, std::string key);

  /// Nothing if there is no such file or it is not a whole one of this key.
  std::optional<Reference> load(const Scene& scene, std::span<const double> moments) const;
  /// Throws FileError.
  void store(const Reference& reference) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::string key_;
};

}  // namespace stiffly::study
