#include "stiffly/contact/obstacle_repulsion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/contact/clear_share.hpp"
#include "stiffly/error.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t balls_at_once = 512;

}  // namespace

ObstacleRepulsion::ObstacleRepulsion(std::vector<Obstacle> obstacles, std::vector<double> radii,
                                     const RepulsionLaw& law, const FrictionLaw& friction,
                                     ContactResponse response)
    : obstacles_(std::move(obstacles)),
      radii_(std::move(radii)),
      law_(law),
      friction_(friction),
      response_(response) {
  for (std::size_t i = 0; i < radii_.size(); ++i)
    if (!(std::isfinite(radii_[i]) && radii_[i] >= 0))
      throw InputError(fmt::format("particle {}: radius {} m must be finite and not negative", i, radii_[i]));
  check(law, friction);
}

std::vector<PlacedShape> ObstacleRepulsion::placed(double time) const {
  std::vector<PlacedShape> out;
  for (const Obstacle& obstacle : obstacles_) out.push_back(obstacle.at(time));
  return out;
}

template <class Visit>
void ObstacleRepulsion::for_contacts(const Configuration& q, std::size_t first, std::size_t last,
                                     std::span<const PlacedShape> shapes, const Visit& visit) const {
  for (std::size_t i = first; i < last; ++i) {
    const Vector3d x = Vector3d::Map(q.x.data() + 3 * i);
    for (const PlacedShape& shape : shapes)
      if (const std::optional<Distance> d = shape.within(radii_[i] + law_.range, x))
        visit(i, shape, *d, d->value - radii_[i]);
  }
}

double ObstacleRepulsion::energy(const Configuration& q) const {
  const std::vector<PlacedShape> shapes = placed(q.time);
  return sum_chunks<balls_at_once>(q.free, [&](std::size_t i) {
    double sum = 0;
    for_contacts(q, i, i + 1, shapes, [&](std::size_t, const PlacedShape&, const Distance&, double gap) {
      sum += law_.energy(gap);
    });
    return sum;
  });
}

// What is at rest comes nearer by n·w as the obstacle moves.
std::optional<double> ObstacleRepulsion::energy_rate(const Configuration& q) const {
  const std::vector<PlacedShape> shapes = placed(q.time);
  return sum_chunks<balls_at_once>(q.free, [&](std::size_t i) {
    double sum = 0;
    for_contacts(q, i, i + 1, shapes,
                 [&](std::size_t, const PlacedShape& shape, const Distance& d, double gap) {
                   sum += law_.push(gap) * d.gradient.dot(shape.velocity(Vector3d::Map(q.x.data() + 3 * i)));
                 });
    return sum;
  });
}

void ObstacleRepulsion::add_force(const Configuration& q, std::span<double> f) const {
  const std::vector<PlacedShape> shapes = placed(q.time);
  for_chunks<balls_at_once>(q.free, [&](std::size_t first, std::size_t last) {
    for_contacts(q, first, last, shapes,
                 [&](std::size_t i, const PlacedShape& shape, const Distance& d, double gap) {
                   Vector3d force = law_.push(gap) * d.gradient;
                   if (friction_.coefficient > 0)
                     force -= friction_.coefficient * law_.push(gap) * slip(q, i, shape, d).direction;
                   Vector3d::Map(f.data() + 3 * i) += force;
                 });
  });
}

void ObstacleRepulsion::attach(std::size_t free, const BlockPattern& pattern) {
  diagonal_.resize(free);
  for (std::size_t i = 0; i < free; ++i) diagonal_[i] = pattern.find(i, static_cast<int>(i));
}

ObstacleRepulsion::Slip ObstacleRepulsion::slip(const Configuration& q, std::size_t particle,
                                                const PlacedShape& shape, const Distance& d) const {
  const Vector3d x = Vector3d::Map(q.x.data() + 3 * particle);
  Slip out;
  out.velocity = Vector3d::Map(q.v.data() + 3 * particle) - shape.velocity(x);
  const Vector3d along = out.velocity - d.gradient.dot(out.velocity) * d.gradient;
  out.scale = std::hypot(along.norm(), friction_.speed);
  out.direction = along / out.scale;
  return out;
}

// ∇²U = U'' n nᵀ + U' ∇n with n = ∇g. Of friction, with s = √(|w|² + v₀²), the relative velocity u − Ωx that
// has w = (I − n nᵀ)u along the surface, and Ω the spin of the obstacle:
//   −∂f/∂v = (μ p/s)(I − n nᵀ − T Tᵀ)
//   −∂f/∂x = −μ U'' T nᵀ + (μ p/s)(I − T Tᵀ) ∂w/∂x,  ∂w/∂x = −n uᵀ∇n − (n·u)∇n − (I − n nᵀ)Ω
void ObstacleRepulsion::add_tangent(const Configuration& q, Tangent& tangent) const {
  using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const std::vector<PlacedShape> shapes = placed(q.time);
  const double mu = friction_.coefficient;
  for_chunks<balls_at_once>(q.free, [&](std::size_t first, std::size_t last) {
    for_contacts(
        q, first, last, shapes, [&](std::size_t i, const PlacedShape& shape, const Distance& d, double gap) {
          const Vector3d& n = d.gradient;
          const double push = law_.push(gap);
          Block::Map(tangent.stiffness.block(diagonal_[i])) +=
              law_.tangent(gap) * n * n.transpose() - push * d.hessian;
          if (mu == 0) return;
          const Slip w = slip(q, i, shape, d);
          const Vector3d& T = w.direction;
          const Matrix3d flat = Matrix3d::Identity() - n * n.transpose();
          const Matrix3d along = Matrix3d::Identity() - T * T.transpose();
          const Matrix3d turn =
              -n * (w.velocity.transpose() * d.hessian) - n.dot(w.velocity) * d.hessian - flat * shape.spin();
          const Matrix3d K = mu * (-law_.tangent(gap) * T * n.transpose() + push / w.scale * along * turn);
          Block::Map(tangent.damping.block(diagonal_[i])) += mu * push / w.scale * (flat - T * T.transpose());
          Block::Map(tangent.stiffness.block(diagonal_[i])) += (K + K.transpose()) / 2;
          Block::Map(tangent.circulatory.block(diagonal_[i])) += (K - K.transpose()) / 2;
        });
  });
}

ForcePower ObstacleRepulsion::power(const Configuration& q) const {
  const std::vector<PlacedShape> shapes = placed(q.time);
  return {.dissipated = sum_chunks<balls_at_once>(q.free, [&](std::size_t particle) {
            double sum = 0;
            for_contacts(q, particle, particle + 1, shapes,
                         [&](std::size_t i, const PlacedShape& shape, const Distance& d, double gap) {
                           sum += friction_.coefficient * law_.push(gap) *
                                  slip(q, i, shape, d).direction.dot(Vector3d::Map(q.v.data() + 3 * i));
                         });
            return sum;
          })};
}

/// Each particle with each obstacle.
class ObstacleRepulsion::Gaps final : public ContactSource {
 public:
  explicit Gaps(const ObstacleRepulsion& force) : force_(force) {}

  std::vector<Key> find(const ParticlePath& path, double wander) override {
    std::vector<Key> out;
    const auto look = [&](double time, std::size_t free, std::span<const double> x) {
      const std::vector<PlacedShape> shapes = force_.placed(time);
      for (std::size_t i = 0; i < free; ++i)
        for (std::size_t o = 0; o < shapes.size(); ++o)
          if (shapes[o].within(force_.radii_[i] + force_.law_.range + wander,
                               Vector3d::Map(x.data() + 3 * i)))
            out.emplace_back(i, o);
    };
    look(path.end.time, path.end.free, path.end.x);
    if (path.is_step() && force_.depends_on_time()) {
      look(path.start_time, path.end.free, path.start);
      std::sort(out.begin(), out.end());
      out.erase(std::unique(out.begin(), out.end()), out.end());
    }
    return out;
  }
  void place(const Configuration& q) override {
    shapes_ = force_.placed(q.time);
    x_ = q.x;
  }
  double gap(const Key& key) const override { return distance(key).value - radius(key); }
  ContactLine line(const Key& key) const override {
    const Distance d = distance(key);
    return {.gap = d.value - radius(key),
            .normal = d.gradient,
            .drift = shapes_[static_cast<std::size_t>(key.second)].velocity(centre(key)),
            .shares = {{key.first, 1.0}}};
  }

 private:
  double radius(const Key& key) const { return force_.radii_[static_cast<std::size_t>(key.first)]; }
  Vector3d centre(const Key& key) const { return Vector3d::Map(x_.data() + 3 * key.first); }
  Distance distance(const Key& key) const {
    constexpr double anywhere = std::numeric_limits<double>::infinity();
    return shapes_[static_cast<std::size_t>(key.second)]
        .within(anywhere, centre(key))
        .value_or(Distance{.value = anywhere});
  }

  const ObstacleRepulsion& force_;
  std::vector<PlacedShape> shapes_;
  std::span<const double> x_;
};

std::unique_ptr<ContactSource> ObstacleRepulsion::source() const { return std::make_unique<Gaps>(*this); }

std::unique_ptr<MixedElements> ObstacleRepulsion::mixed_elements(std::size_t, const BlockPattern&) const {
  if (response_ != ContactResponse::mixed) return nullptr;
  return std::make_unique<OneSidedContacts>(source(), law_, friction_);
}

std::vector<std::unique_ptr<Force>> ObstacleRepulsion::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  for (std::vector<double>& radii : divided<double>(partition, radii_))
    out.push_back(
        std::make_unique<ObstacleRepulsion>(obstacles_, std::move(radii), law_, friction_, response_));
  return out;
}

bool ObstacleRepulsion::depends_on_time() const {
  return std::any_of(obstacles_.begin(), obstacles_.end(), [](const Obstacle& o) { return o.moves(); });
}

std::optional<Touch> ObstacleRepulsion::touch(const Configuration& q) const {
  const std::vector<PlacedShape> shapes = placed(q.time);
  Touch out;
  for_contacts(q, 0, q.free, shapes,
               [&](std::size_t, const PlacedShape&, const Distance&, double gap) { out.see(gap); });
  return out;
}

// Nothing may come nearer than half the range within a step, or half the range nearer where it is there: then
// the force has been felt before it is due.
double ObstacleRepulsion::longest_step(const Configuration& q, double h) const {
  const std::vector<PlacedShape> shapes = placed(q.time);
  const double half = law_.range / 2;
  for (std::size_t i = 0; i < q.free; ++i) {
    const Vector3d x = Vector3d::Map(q.x.data() + 3 * i);
    for (const PlacedShape& shape : shapes) {
      const Vector3d v = Vector3d::Map(q.v.data() + 3 * i) - shape.velocity(x);
      const std::optional<Distance> d = shape.within(radii_[i] + half + v.norm() * h, x);
      if (!d) continue;
      const double approach = -d->gradient.dot(v);
      if (approach > 0) h = std::min(h, std::max(d->value - radii_[i] - half, half) / approach);
    }
  }
  return h;
}

// Gaps change by no more than a centre moves.
double ObstacleRepulsion::clear_share(std::span<const double> from, const Configuration& to) const {
  const std::vector<PlacedShape> shapes = placed(to.time);
  double share = 1;
  for (std::size_t i = 0; i < to.free; ++i) {
    const Vector3d x = Vector3d::Map(from.data() + 3 * i), way = Vector3d::Map(to.x.data() + 3 * i) - x;
    for (const PlacedShape& shape : shapes)
      if (const double reach = radii_[i] + 2 * way.norm(); shape.within(reach, x))
        share = std::min(share, stiffly::clear_share(
                                    [&](double t) {
                                      const auto d = shape.within(infinite, x + t * way);
                                      return d ? d->value - radii_[i] : infinite;
                                    },
                                    way.norm()));
  }
  return share;
}

}  // namespace stiffly
