#include "stiffly/forces/air_drag.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {
namespace {

constexpr std::size_t chunk = 4096;

}  // namespace

AirDrag::AirDrag(std::vector<double> coefficients, const Eigen::Vector3d& wind)
    : coefficients_(std::move(coefficients)), wind_(wind) {
  for (std::size_t i = 0; i < coefficients_.size(); ++i)
    if (!std::isfinite(coefficients_[i]) || coefficients_[i] < 0)
      throw InputError(
          fmt::format("particle {}: drag {} N s/m must be finite and not negative", i, coefficients_[i]));
  if (!wind_.allFinite()) throw InputError("the velocity of the air must be finite");
}

void AirDrag::add_force(const Configuration& q, std::span<double> f) const {
  for_chunks<chunk>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      Eigen::Vector3d::Map(f.data() + 3 * i) -=
          coefficients_[i] * (Eigen::Vector3d::Map(q.v.data() + 3 * i) - wind_);
  });
}

std::vector<std::unique_ptr<Force>> AirDrag::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  for (std::vector<double>& c : divided<double>(partition, coefficients_))
    out.push_back(std::make_unique<AirDrag>(std::move(c), wind_));
  return out;
}

void AirDrag::attach(std::size_t free, const BlockPattern& pattern) {
  diagonal_.resize(free);
  for (std::size_t i = 0; i < free; ++i) diagonal_[i] = pattern.find(i, static_cast<int>(i));
}

void AirDrag::add_tangent(const Configuration& q, Tangent& tangent) const {
  for (std::size_t i = 0; i < q.free; ++i)
    for (int axis = 0; axis < 3; ++axis) tangent.damping.block(diagonal_[i])[4 * axis] += coefficients_[i];
}

ForcePower AirDrag::power(const Configuration& q) const {
  return {.dissipated = sum_chunks<chunk>(q.free, [&](std::size_t i) {
            const Eigen::Vector3d v = Eigen::Vector3d::Map(q.v.data() + 3 * i);
            return coefficients_[i] * (v - wind_).dot(v);
          })};
}

}  // namespace stiffly
