#include "stiffly/forces/weighted_springs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "stiffly/error.hpp"
#include "stiffly/forces/spring_strains.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {

void check(const SpringEnd& end, const std::string& where) {
  const auto fail = [&](const std::string& what) { throw InputError(fmt::format("{}: {}", where, what)); };
  if (end.particles.empty() || end.particles.size() != end.weights.size())
    fail(fmt::format("an end has {} particles and {} weights", end.particles.size(), end.weights.size()));
  for (const double w : end.weights)
    if (!(w >= 0)) fail(fmt::format("weights must not be negative, not {}", w));
  const double sum = std::accumulate(end.weights.begin(), end.weights.end(), 0.0);
  if (!(std::abs(sum - 1) <= 1e-12)) fail(fmt::format("the weights of an end sum up to {}, not 1", sum));
}

namespace {

using Eigen::Vector3d;

/// c_i of each particle: a particle may belong to both ends.
std::map<int, double> coefficients(const WeightedSpring& s) {
  std::map<int, double> c;
  for (std::size_t i = 0; i < s.second.particles.size(); ++i) c[s.second.particles[i]] += s.second.weights[i];
  for (std::size_t i = 0; i < s.first.particles.size(); ++i) c[s.first.particles[i]] -= s.first.weights[i];
  return c;
}

/// The particles of each spring, whose ends and material are looked at first.
std::vector<std::vector<int>> corners(const std::vector<WeightedSpring>& springs) {
  std::vector<std::vector<int>> out;
  for (const WeightedSpring& s : springs) {
    const std::string where = fmt::format("weighted spring {}", out.size());
    check(s.first, where);
    check(s.second, where);
    check(s.material, where);
    out.emplace_back();
    for (const auto& [particle, weight] : coefficients(s)) out.back().push_back(particle);
  }
  return out;
}

}  // namespace

WeightedSprings::WeightedSprings(const std::vector<WeightedSpring>& springs, std::size_t particles)
    : ElementForce(ElementAssembly(corners(springs), particles, "weighted spring")) {
  for (const WeightedSpring& s : springs) {
    damped_ = damped_ || s.material.damping > 0;
    materials_.push_back(s.material);
    const auto c = coefficients(s);
    coefficients_.emplace_back(c.size());
    std::transform(c.begin(), c.end(), coefficients_.back().begin(),
                   [](const auto& pair) { return pair.second; });
  }
}

Vector3d WeightedSprings::between(std::size_t spring, std::span<const double> x) const {
  return elements_.gather<Eigen::Dynamic>(spring, x) * coefficients_[spring];
}

std::vector<std::unique_ptr<Force>> WeightedSprings::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  for (const PieceElements& piece : divided(elements_, partition)) {
    const std::size_t particles = partition.particles(out.size()).size();
    std::unique_ptr<WeightedSprings> part(
        new WeightedSprings(ElementAssembly(piece.corners, particles, "weighted spring")));
    part->materials_ = piece.of<SpringMaterial>(materials_);
    part->coefficients_ = piece.of<Eigen::VectorXd>(coefficients_);
    part->damped_ = damped_;
    out.push_back(std::move(part));
  }
  return out;
}

double WeightedSprings::energy(const Configuration& q) const {
  return elements_.sum([&](std::size_t s) {
    return stored_energy(materials_[s], between(s, q.x).norm() - materials_[s].rest_length);
  });
}

void WeightedSprings::add_force(const Configuration& q, std::span<double> f) const {
  elements_.for_each([&](std::size_t s) {
    const Vector3d e = between(s, q.x);
    const double pull = pull_per_length(materials_[s], e, [&] { return between(s, q.v); });
    const Eigen::Matrix3Xd forces = -pull * e * coefficients_[s].transpose();
    elements_.add_force(s, forces, f);
  });
}

// Each particle is pulled by −c_i (d ê·w) ê: d (ê·w)² in all.
ForcePower WeightedSprings::power(const Configuration& q) const {
  return elements_.sum([&](std::size_t s) {
    const Vector3d e = between(s, q.x), w = between(s, q.v);
    const double length = e.norm();
    if (materials_[s].damping == 0 || collapsed(materials_[s], length)) return ForcePower{};
    const Vector3d pull = materials_[s].damping * e.dot(w) / (length * length) * e;
    const Eigen::Matrix3Xd forces = -pull * coefficients_[s].transpose();
    return ForcePower{.dissipated = pull.dot(w), .supports = elements_.power_of_supports(s, forces, q)};
  });
}

void WeightedSprings::add_tangent(const Configuration& q, Tangent& tangent) const {
  elements_.for_each([&](std::size_t s) {
    const SpringTangent B = spring_tangent(materials_[s], between(s, q.x), [&] { return between(s, q.v); });
    const Eigen::VectorXd& c = coefficients_[s];
    const auto add = [&](BlockMatrix& matrix, const Eigen::Matrix3d& block) {
      elements_.add_blocks(
          s, [&](auto a, auto b) { return c(a) * c(b) * block; }, matrix);
    };
    add(tangent.stiffness, B.stiffness);
    if (materials_[s].damping > 0) {
      add(tangent.circulatory, B.circulatory);
      add(tangent.damping, B.damping);
    }
  });
}

std::unique_ptr<MixedElements> WeightedSprings::mixed_elements(std::size_t free, const BlockPattern&) const {
  std::vector<double> coefficients;
  for (const Eigen::VectorXd& c : coefficients_) coefficients.insert(coefficients.end(), c.begin(), c.end());
  return spring_strains(materials_, elements_, std::move(coefficients), free);
}

}  // namespace stiffly
