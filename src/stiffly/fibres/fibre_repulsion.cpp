#include "stiffly/fibres/fibre_repulsion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr std::size_t sections_at_once = 256;
constexpr double share = 0.25;  ///< of a particle in the centre of its cross-section

}  // namespace

std::vector<PlacedShape> FibreObstacles::at(double time) const {
  std::vector<PlacedShape> out;
  for (const Obstacle& obstacle : obstacles) out.push_back(obstacle.at(time));
  return out;
}

FibreRepulsion::FibreRepulsion(FibreObstacles obstacles, std::vector<Section> sections)
    : obstacles_(std::move(obstacles)), sections_(std::move(sections)) {
  for (const double number : {obstacles_.law.stiffness, obstacles_.law.range})
    if (!(std::isfinite(number) && number > 0))
      throw InputError(
          fmt::format("stiffness and range of a repulsion must be positive and finite, not {}", number));
  if (!(std::isfinite(obstacles_.radius) && obstacles_.radius >= 0))
    throw InputError(
        fmt::format("the radius of fibres must be finite and not negative, not {} m", obstacles_.radius));
}

Vector3d FibreRepulsion::centre(const Configuration& q, std::size_t section) const {
  Vector3d sum = Vector3d::Zero();
  for (const int particle : sections_[section]) sum += Vector3d::Map(q.x.data() + 3 * particle);
  return share * sum;
}

double FibreRepulsion::energy(const Configuration& q) const {
  const std::vector<PlacedShape> shapes = obstacles_.at(q.time);
  return sum_chunks<sections_at_once>(sections_.size(), [&](std::size_t i) {
    double sum = 0;
    obstacles_.for_near(shapes, centre(q, i), [&](const PlacedShape&, const Distance&, double gap) {
      sum += obstacles_.law.energy(gap);
    });
    return sum;
  });
}

// As of ObstacleRepulsion.
std::optional<double> FibreRepulsion::energy_rate(const Configuration& q) const {
  const std::vector<PlacedShape> shapes = obstacles_.at(q.time);
  return sum_chunks<sections_at_once>(sections_.size(), [&](std::size_t i) {
    const Vector3d x = centre(q, i);
    double sum = 0;
    obstacles_.for_near(shapes, x, [&](const PlacedShape& shape, const Distance& d, double gap) {
      sum += obstacles_.law.push(gap) * d.gradient.dot(shape.velocity(x));
    });
    return sum;
  });
}

void FibreRepulsion::add_force(const Configuration& q, std::span<double> f) const {
  const std::vector<PlacedShape> shapes = obstacles_.at(q.time);
  for_chunks<sections_at_once>(sections_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      obstacles_.for_near(shapes, centre(q, i), [&](const PlacedShape&, const Distance& d, double gap) {
        for (const int particle : sections_[i])
          Vector3d::Map(f.data() + 3 * particle) += share * obstacles_.law.push(gap) * d.gradient;
      });
  });
}

void FibreRepulsion::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  static_cast<void>(free);
  for (const Section& section : sections_)
    for (std::size_t a = 0; a < section.size(); ++a)
      for (std::size_t b = a + 1; b < section.size(); ++b) pairs.emplace_back(section[a], section[b]);
}

void FibreRepulsion::attach(std::size_t free, const BlockPattern& pattern) {
  static_cast<void>(free);
  blocks_.resize(sections_.size());
  for (std::size_t i = 0; i < sections_.size(); ++i)
    for (std::size_t k = 0; k < blocks_[i].size(); ++k)
      blocks_[i][k] = pattern.find(static_cast<std::size_t>(sections_[i][k / 4]), sections_[i][k % 4]);
}

// ∇²U = U'' ∇g ∇gᵀ + U' ∇²g
void FibreRepulsion::add_tangent(const Configuration& q, Tangent& tangent) const {
  const std::vector<PlacedShape> shapes = obstacles_.at(q.time);
  for_chunks<sections_at_once>(sections_.size(), [&](std::size_t first, std::size_t last) {
    using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    for (std::size_t i = first; i < last; ++i)
      obstacles_.for_near(shapes, centre(q, i), [&](const PlacedShape&, const Distance& d, double gap) {
        const Block K = obstacles_.law.tangent(gap) * d.gradient * d.gradient.transpose() -
                        obstacles_.law.push(gap) * d.hessian;
        for (const std::int64_t block : blocks_[i])
          Block::Map(tangent.stiffness.block(block)) += share * share * K;
      });
  });
}

std::vector<std::unique_ptr<Force>> FibreRepulsion::parts(const Partition& partition) const {
  std::vector<std::vector<Section>> sections(partition.pieces());
  for (const Section& section : sections_) {
    const std::size_t piece = partition.piece_of(section).value();
    Section own;
    for (std::size_t c = 0; c < own.size(); ++c) own[c] = partition.number(piece, section[c]);
    sections[piece].push_back(own);
  }
  std::vector<std::unique_ptr<Force>> out;
  for (std::vector<Section>& own : sections)
    out.push_back(std::make_unique<FibreRepulsion>(obstacles_, std::move(own)));
  return out;
}

bool FibreRepulsion::depends_on_time() const {
  return std::ranges::any_of(obstacles_.obstacles, &Obstacle::moves);
}

}  // namespace stiffly
