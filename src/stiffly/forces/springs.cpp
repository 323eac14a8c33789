#include "stiffly/forces/springs.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Block = Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

constexpr std::size_t chunk = 512;

Vector3d at3(std::span<const double> x, int particle) {
  return Eigen::Map<const Vector3d>(x.data() + 3 * static_cast<std::ptrdiff_t>(particle));
}

/// Tension T(Δ), its derivative T'(Δ) and the energy ∫T.
double tension(const Spring& s, double stretch) {
  const double r = stretch / s.rest_length;
  return s.stiffness * stretch * (s.law == SpringLaw::cubic ? 1 + r * r : 1);
}
double tension_rate(const Spring& s, double stretch) {
  const double r = stretch / s.rest_length;
  return s.stiffness * (s.law == SpringLaw::cubic ? 1 + 3 * r * r : 1);
}
double stored_energy(const Spring& s, double stretch) {
  const double r = stretch / s.rest_length;
  return 0.5 * s.stiffness * stretch * stretch * (s.law == SpringLaw::cubic ? 1 + 0.5 * r * r : 1);
}

/// A spring shrunk to (almost) a point has no direction: it pulls nowhere rather than anywhere.
bool collapsed(const Spring& s, double length) { return !(length > 1e-12 * s.rest_length); }

}  // namespace

Springs::Springs(std::vector<Spring> springs, std::size_t particles)
    : springs_(std::move(springs)), starts_(particles + 1, 0), incidences_(2 * springs_.size()) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Spring& s = springs_[i];
    const auto fail = [&](const std::string& what) { throw InputError(fmt::format("spring {}: {}", i, what)); };
    for (const int end : {s.first, s.second})
      if (end < 0 || static_cast<std::size_t>(end) >= particles)
        fail(fmt::format("end {} is not a particle (there are {}, counted from 0)", end, particles));
    if (s.first == s.second) fail(fmt::format("both ends are particle {}", s.first));
    if (!(std::isfinite(s.stiffness) && s.stiffness >= 0)) fail(fmt::format("stiffness must be finite and not negative, not {}", s.stiffness));
    if (!(std::isfinite(s.rest_length) && s.rest_length > 0))
      fail(fmt::format("rest length must be positive and finite, not {} (do both ends, particles {} and {}, coincide?)", s.rest_length, s.first, s.second));
    if (!(std::isfinite(s.damping) && s.damping >= 0)) fail(fmt::format("damping must be finite and not negative, not {}", s.damping));
    damped_ = damped_ || s.damping > 0;
    ++starts_[static_cast<std::size_t>(s.first) + 1];
    ++starts_[static_cast<std::size_t>(s.second) + 1];
  }
  for (std::size_t p = 0; p < particles; ++p) starts_[p + 1] += starts_[p];
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const Spring& s = springs_[i];
    incidences_[next[static_cast<std::size_t>(s.first)]++] = {static_cast<int>(i), s.second};
    incidences_[next[static_cast<std::size_t>(s.second)]++] = {static_cast<int>(i), s.first};
  }
}

double Springs::energy(const Configuration& q) const {
  return sum_chunks<chunk>(springs_.size(), [&](std::size_t i) {
    const Spring& s = springs_[i];
    return stored_energy(s, (at3(q.x, s.second) - at3(q.x, s.first)).norm() - s.rest_length);
  });
}

// f_i = Σ (T + d ê·w) ê with ê the direction from i to the other end and w the relative velocity
void Springs::add_force(const Configuration& q, std::span<double> f) const {
  for_chunks<chunk>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Vector3d x = at3(q.x, static_cast<int>(i));
      Vector3d sum = Vector3d::Zero();
      for (const Incidence& incidence : at(i)) {
        const Spring& s = springs_[static_cast<std::size_t>(incidence.spring)];
        const Vector3d e = at3(q.x, incidence.other) - x;
        const double length = e.norm();
        if (collapsed(s, length)) continue;
        double pull = tension(s, length - s.rest_length);
        if (s.damping > 0)
          pull += s.damping * e.dot(at3(q.v, incidence.other) - at3(q.v, static_cast<int>(i))) / length;
        sum += pull / length * e;
      }
      for (int d = 0; d < 3; ++d) f[3 * i + static_cast<std::size_t>(d)] += sum(d);
    }
  });
}

void Springs::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  for (const Spring& s : springs_)
    if (static_cast<std::size_t>(std::max(s.first, s.second)) < free) pairs.emplace_back(s.first, s.second);
}

void Springs::attach(std::size_t free, const BlockPattern& pattern) {
  diagonal_.resize(free);
  for (std::size_t i = 0; i < free; ++i) {
    diagonal_[i] = pattern.find(i, static_cast<int>(i));
    for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
      incidences_[k].block =
          static_cast<std::size_t>(incidences_[k].other) < free ? pattern.find(i, incidences_[k].other) : -1;
  }
}

// With P = I − êêᵀ:  −∂f_i/∂x_i = B = T' êêᵀ + T/|e| P + d/|e| (ê wᵀP + (ê·w) P),  −∂f_i/∂x_j = −B,
// and d êêᵀ for the velocities.
void Springs::add_tangent(const Configuration& q, Tangent& tangent) const {
  for_chunks<chunk>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Vector3d x = at3(q.x, static_cast<int>(i));
      for (const Incidence& incidence : at(i)) {
        const Spring& s = springs_[static_cast<std::size_t>(incidence.spring)];
        const Vector3d e = at3(q.x, incidence.other) - x;
        const double length = e.norm();
        if (collapsed(s, length)) continue;
        const Vector3d direction = e / length;
        const Matrix3d along = direction * direction.transpose();
        const Matrix3d across = Matrix3d::Identity() - along;
        const double stretch = length - s.rest_length;
        Matrix3d B = tension_rate(s, stretch) * along + tension(s, stretch) / length * across;
        const auto add = [&](BlockMatrix& matrix, const Matrix3d& block) {
          Block(matrix.block(diagonal_[i])) += block;
          if (incidence.block >= 0) Block(matrix.block(incidence.block)) -= block;
        };
        if (s.damping > 0) {
          const Vector3d w = at3(q.v, incidence.other) - at3(q.v, static_cast<int>(i));
          const Matrix3d turning = s.damping / length * direction * (across * w).transpose();
          B += 0.5 * (turning + turning.transpose()) + s.damping / length * direction.dot(w) * across;
          add(tangent.circulatory, 0.5 * (turning - turning.transpose()));
          add(tangent.damping, s.damping * along);
        }
        add(tangent.stiffness, B);
      }
    }
  });
}

}  // namespace stiffly
