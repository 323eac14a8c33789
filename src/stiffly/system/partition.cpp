#include "stiffly/system/partition.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace stiffly {

// Union-find with halving of paths [Tarjan and van Leeuwen 1984]; a component is named by its first particle.
Partition::Partition(std::size_t free, std::size_t particles, std::span<const std::pair<int, int>> pairs)
    : piece_(free, -1) {
  std::vector<int> parent(free);
  std::iota(parent.begin(), parent.end(), 0);
  const auto at = [](auto& v, int i) -> auto& { return v[static_cast<std::size_t>(i)]; };
  const auto first_of = [&](int i) {
    while (at(parent, i) != i) i = at(parent, i) = at(parent, at(parent, i));
    return i;
  };
  const auto is_free = [&](int i) { return static_cast<std::size_t>(i) < free; };
  for (const auto& [a, b] : pairs)
    if (is_free(a) && is_free(b)) {
      const int i = first_of(a), j = first_of(b);
      at(parent, std::max(i, j)) = std::min(i, j);
    }
  for (int i = 0; is_free(i); ++i) {
    const int first = first_of(i);
    if (first == i) {
      at(piece_, i) = static_cast<int>(particles_.size());
      particles_.emplace_back();
    }
    at(piece_, i) = at(piece_, first);
    at(particles_, at(piece_, i)).push_back(i);
  }
  for (const auto& list : particles_) free_.push_back(list.size());
  for (const auto& [a, b] : pairs) {
    assert(static_cast<std::size_t>(std::max(a, b)) < particles);
    if (is_free(a) && !is_free(b)) at(particles_, at(piece_, a)).push_back(b);
    if (is_free(b) && !is_free(a)) at(particles_, at(piece_, b)).push_back(a);
  }
  static_cast<void>(particles);
  for (std::size_t piece = 0; piece < particles_.size(); ++piece) {
    auto& list = particles_[piece];
    const auto prescribed = list.begin() + static_cast<std::ptrdiff_t>(free_[piece]);
    std::sort(prescribed, list.end());
    list.erase(std::unique(prescribed, list.end()), list.end());
  }
}

std::optional<std::size_t> Partition::piece_of(std::span<const int> particles) const {
  for (const int particle : particles)
    if (static_cast<std::size_t>(particle) < piece_.size())
      return static_cast<std::size_t>(piece_[static_cast<std::size_t>(particle)]);
  return {};
}

int Partition::number(std::size_t piece, int particle) const {
  const auto& list = particles_[piece];
  return static_cast<int>(std::lower_bound(list.begin(), list.end(), particle) - list.begin());
}

}  // namespace stiffly
