#include "stiffly/system/partition.hpp"

#include <algorithm>

namespace stiffly {

Partition::Partition(std::span<const int> components, std::span<const std::pair<int, int>> pairs)
    : piece_(components.begin(), components.end()) {
  const auto at = [](auto& v, int i) -> auto& { return v[static_cast<std::size_t>(i)]; };
  const auto is_free = [&](int i) { return static_cast<std::size_t>(i) < piece_.size(); };
  for (int i = 0; is_free(i); ++i) {
    const auto piece = static_cast<std::size_t>(at(piece_, i));
    if (piece == particles_.size()) particles_.emplace_back();
    particles_[piece].push_back(i);
  }
  for (const auto& list : particles_) free_.push_back(list.size());
  for (const auto& [a, b] : pairs) {
    if (is_free(a) && !is_free(b)) at(particles_, at(piece_, a)).push_back(b);
    if (is_free(b) && !is_free(a)) at(particles_, at(piece_, b)).push_back(a);
  }
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
