// Arrays of lanes one after the other in one piece of memory.
#pragma once

#include <cstddef>

#include "stiffly/fibres/batch_view.hpp"

namespace stiffly {

/// Hands out parts of a memory, each a number of entries of all lanes; without a memory it only counts.
class BatchLayout {
 public:
  BatchLayout(int lanes, double* memory) : lanes_(static_cast<std::size_t>(lanes)), memory_(memory) {}
  double* take(int entries) {
    double* out = memory_ ? memory_ + used_ : nullptr;
    used_ += lanes_ * static_cast<std::size_t>(entries);
    return out;
  }
  std::size_t used() const { return used_; }

 private:
  std::size_t lanes_;
  double* memory_;
  std::size_t used_ = 0;
};

/// Entries of the arrays of a batch.
struct BatchSizes {
  int particles, unknowns;
  int all_unknowns;  ///< roots included
  int springs;

  explicit BatchSizes(int sections)
      : particles(batch::corners * sections),
        unknowns(batch::section_size * sections),
        all_unknowns(unknowns + batch::section_size),
        springs(batch::section_springs * sections) {}
};

}  // namespace stiffly
