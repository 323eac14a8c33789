// A run as the viewer sees it, whether its folder is read or it goes on at this moment.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace stiffly::view {

/// Which frames: `count` of them from `first` on, `every` so manieth, and of each the first `points`.
struct FrameRange {
  std::size_t first = 0, count = 1, every = 1, points = 0;
};

/// All may be called on several threads at once, and throw InputError and FileError.
class RunSource {
 public:
  virtual ~RunSource() = default;
  RunSource() = default;
  RunSource(const RunSource&) = delete;
  RunSource& operator=(const RunSource&) = delete;

  /// What it is and how far: `name`, `state` (live, unfinished, done, interrupted, failed, empty, broken),
  /// `message` where the state needs one, `frames`, `rows` (points of a frame), `contact` (whether frames
  /// have it), `obstacles` (how many), and what run.json says of the rest.
  virtual nlohmann::ordered_json describe() = 0;
  /// What there is to draw, as `pack_topology` writes it.
  virtual std::string topology() = 0;
  /// Times of the frames from `first` on, as 64-bit numbers.
  virtual std::string times(std::size_t first) = 0;
  /// One after the other as `pack_frame` writes them; fewer where they are many bytes, but at least one.
  virtual std::string frames(const FrameRange& asked) = 0;
  /// energy.csv or counters.csv, thinned where it is long; empty where there is none.
  virtual std::string table(const std::string& name) = 0;
};

}  // namespace stiffly::view
