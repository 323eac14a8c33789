#include "stiffly/contact/obstacle_repulsion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/contact/approach_limit.hpp"
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

ContactBalls about_particles(const std::vector<double>& radii) {
  ContactBalls out;
  for (std::size_t i = 0; i < radii.size(); ++i)
    out.all.push_back({.corners = {static_cast<int>(i)}, .radius = radii[i]});
  return out;
}

}  // namespace

ObstacleRepulsion::ObstacleRepulsion(std::vector<Obstacle> obstacles, ContactBalls balls,
                                     const RepulsionLaw& law, const FrictionLaw& friction,
                                     ContactResponse response)
    : obstacles_(std::move(obstacles)),
      balls_(std::move(balls.all)),
      law_(law),
      friction_(friction),
      response_(response) {
  for (const ContactBall& ball : balls_)
    if (!(std::isfinite(ball.radius) && ball.radius >= 0))
      throw InputError(fmt::format("particle {}: radius {} m must be finite and not negative",
                                   ball.corners[0], ball.radius));
  check(law, friction);
}

ObstacleRepulsion::ObstacleRepulsion(std::vector<Obstacle> obstacles, const std::vector<double>& radii,
                                     const RepulsionLaw& law, const FrictionLaw& friction,
                                     ContactResponse response)
    : ObstacleRepulsion(std::move(obstacles), about_particles(radii), law, friction, response) {}

template <class Visit>
void ObstacleRepulsion::for_contacts(const Configuration& q, std::size_t first, std::size_t last,
                                     std::span<const PlacedShape> shapes, const Visit& visit) const {
  for (std::size_t i = first; i < last; ++i) {
    const ContactBall& ball = balls_[i];
    if (!ball.is_free(q.free)) continue;
    const Vector3d x = ball.middle(q.x);
    for (const PlacedShape& shape : shapes)
      if (const std::optional<Distance> d = shape.within(ball.radius + law_.range, x))
        visit(Near{ball, i, x, shape, *d, d->value - ball.radius});
  }
}

template <class Term>
double ObstacleRepulsion::sum_of_contacts(const Configuration& q, const Term& term) const {
  const std::vector<PlacedShape> shapes = placed(obstacles_, q.time);
  return sum_chunks<balls_at_once>(balls_.size(), [&](std::size_t i) {
    double sum = 0;
    for_contacts(q, i, i + 1, shapes, [&](const Near& near) { sum += term(near); });
    return sum;
  });
}

double ObstacleRepulsion::energy(const Configuration& q) const {
  return sum_of_contacts(q, [&](const Near& near) { return law_.energy(near.gap); });
}

// What is at rest comes nearer by n·w as the obstacle moves.
std::optional<double> ObstacleRepulsion::energy_rate(const Configuration& q) const {
  return sum_of_contacts(q, [&](const Near& near) {
    return law_.push(near.gap) * near.d.gradient.dot(near.shape.velocity(near.x));
  });
}

void ObstacleRepulsion::add_force(const Configuration& q, std::span<double> f) const {
  const std::vector<PlacedShape> shapes = placed(obstacles_, q.time);
  for_chunks<balls_at_once>(balls_.size(), [&](std::size_t first, std::size_t last) {
    for_contacts(q, first, last, shapes, [&](const Near& near) {
      Vector3d force = law_.push(near.gap) * near.d.gradient;
      if (friction_.coefficient > 0)
        force -= friction_.coefficient * law_.push(near.gap) * slip(q, near).direction;
      for (const int particle : near.ball.particles())
        Vector3d::Map(f.data() + 3 * particle) += near.ball.share() * force;
    });
  });
}

void ObstacleRepulsion::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  for (const ContactBall& ball : balls_)
    for (int a = 0; a < ball.count && ball.is_free(free); ++a)
      for (int b = a + 1; b < ball.count; ++b)
        pairs.emplace_back(ball.particles()[static_cast<std::size_t>(a)],
                           ball.particles()[static_cast<std::size_t>(b)]);
}

void ObstacleRepulsion::attach(std::size_t free, const BlockPattern& pattern) {
  blocks_.clear();
  first_block_.clear();
  for (const ContactBall& ball : balls_) {
    first_block_.push_back(blocks_.size());
    if (!ball.is_free(free)) continue;
    for (const int row : ball.particles())
      for (const int column : ball.particles())
        blocks_.push_back(pattern.find(static_cast<std::size_t>(row), column));
  }
  first_block_.push_back(blocks_.size());
}

// ∇²U = U'' n nᵀ + U' ∇n with n = ∇g. Of friction, with s = √(|w|² + v₀²), the relative velocity u − Ωx that
// has w = (I − n nᵀ)u along the surface, and Ω the spin of the obstacle:
//   −∂f/∂v = (μ p/s)(I − n nᵀ − T Tᵀ)
//   −∂f/∂x = −μ U'' T nᵀ + (μ p/s)(I − T Tᵀ) ∂w/∂x,  ∂w/∂x = −n uᵀ∇n − (n·u)∇n − (I − n nᵀ)Ω
void ObstacleRepulsion::add_tangent(const Configuration& q, Tangent& tangent) const {
  using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const std::vector<PlacedShape> shapes = placed(obstacles_, q.time);
  const double mu = friction_.coefficient;
  const auto add = [&](BlockMatrix& matrix, const Near& near, const Matrix3d& middle) {
    const Block block = near.ball.share() * near.ball.share() * middle;
    for (std::size_t k = first_block_[near.number]; k < first_block_[near.number + 1]; ++k)
      Block::Map(matrix.block(blocks_[k])) += block;
  };
  for_chunks<balls_at_once>(balls_.size(), [&](std::size_t first, std::size_t last) {
    for_contacts(q, first, last, shapes, [&](const Near& near) {
      const Distance& d = near.d;
      const Vector3d& n = d.gradient;
      const double push = law_.push(near.gap), U2 = law_.tangent(near.gap);
      add(tangent.stiffness, near, U2 * n * n.transpose() - push * d.hessian);
      if (mu == 0) return;
      const FrictionSlip w = slip(q, near);
      const Vector3d& T = w.direction;
      const Matrix3d flat = Matrix3d::Identity() - n * n.transpose();
      const Matrix3d along = Matrix3d::Identity() - T * T.transpose();
      const Matrix3d turn = -n * (w.velocity.transpose() * d.hessian) - n.dot(w.velocity) * d.hessian -
                            flat * near.shape.spin();
      const Matrix3d K = mu * (-U2 * T * n.transpose() + push / w.scale * along * turn);
      add(tangent.damping, near, mu * push / w.scale * (flat - T * T.transpose()));
      add(tangent.stiffness, near, (K + K.transpose()) / 2);
      add(tangent.circulatory, near, (K - K.transpose()) / 2);
    });
  });
}

ForcePower ObstacleRepulsion::power(const Configuration& q) const {
  return {.dissipated = sum_of_contacts(q, [&](const Near& near) {
            return friction_.coefficient * law_.push(near.gap) *
                   slip(q, near).direction.dot(near.ball.middle(q.v));
          })};
}

/// Each ball with each obstacle.
class ObstacleRepulsion::Gaps final : public ContactSource {
 public:
  explicit Gaps(const ObstacleRepulsion& force) : force_(force) {}

  std::vector<Key> find(const ParticlePath& path, double wander) override {
    std::vector<Key> out;
    const auto look = [&](double time, std::size_t free, std::span<const double> x) {
      const std::vector<PlacedShape> shapes = placed(force_.obstacles_, time);
      for (std::size_t i = 0; i < force_.balls_.size(); ++i) {
        const ContactBall& ball = force_.balls_[i];
        if (!ball.is_free(free)) continue;
        const Vector3d middle = ball.middle(x);
        for (std::size_t o = 0; o < shapes.size(); ++o)
          if (shapes[o].within(ball.radius + force_.law_.range + wander, middle)) out.emplace_back(i, o);
      }
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
    shapes_ = placed(force_.obstacles_, q.time);
    x_ = q.x;
  }
  double gap(const Key& key) const override { return distance(key).value - ball(key).radius; }
  ContactLine line(const Key& key) const override {
    const Distance d = distance(key);
    ContactLine out{.gap = d.value - ball(key).radius,
                    .normal = d.gradient,
                    .drift = shape(key).velocity(ball(key).middle(x_))};
    for (const int particle : ball(key).particles()) out.shares.push_back({particle, ball(key).share()});
    return out;
  }

 private:
  const ContactBall& ball(const Key& key) const { return force_.balls_[static_cast<std::size_t>(key.first)]; }
  const PlacedShape& shape(const Key& key) const { return shapes_[static_cast<std::size_t>(key.second)]; }
  Distance distance(const Key& key) const {
    return shape(key).within(infinite, ball(key).middle(x_)).value_or(Distance{.value = infinite});
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
  std::vector<ContactBalls> balls(partition.pieces());
  for (const ContactBall& ball : balls_)
    if (const auto piece = partition.piece_of(ball.particles())) {
      ContactBall& own = balls[*piece].all.emplace_back(ball);
      for (int& corner : std::span(own.corners).first(static_cast<std::size_t>(own.count)))
        corner = partition.number(*piece, corner);
    }
  std::vector<std::unique_ptr<Force>> out;
  for (ContactBalls& own : balls)
    out.push_back(
        std::make_unique<ObstacleRepulsion>(obstacles_, std::move(own), law_, friction_, response_));
  return out;
}

bool ObstacleRepulsion::depends_on_time() const { return std::ranges::any_of(obstacles_, &Obstacle::moves); }

std::optional<Touch> ObstacleRepulsion::touch(const Configuration& q) const {
  if (!law_.watched) return std::nullopt;
  const std::vector<PlacedShape> shapes = placed(obstacles_, q.time);
  Touch out;
  for_contacts(q, 0, balls_.size(), shapes, [&](const Near& near) { out.see(near.gap); });
  return out;
}

// Nothing may come nearer than half the range within a step, or half the range nearer where it is there: then
// the force has been felt before it is due.
double ObstacleRepulsion::longest_step(const Configuration& q, double h) const {
  if (!law_.watched) return h;
  const ApproachLimit limit(obstacles_, q.time, h, law_.range / 2);
  for (const ContactBall& ball : balls_)
    if (ball.is_free(q.free)) h = limit.longest_step(ball.middle(q.x), ball.middle(q.v), ball.radius, h);
  return h;
}

double ObstacleRepulsion::clear_share(const Configuration& from, const Configuration& to) const {
  std::vector<ObstacleWay> ways;
  for (const Obstacle& obstacle : obstacles_) ways.push_back(obstacle.way(from.time, to.time));
  double share = 1;
  for (const ContactBall& ball : balls_) {
    if (!ball.is_free(to.free)) continue;
    const Vector3d start = ball.middle(from.x), end = ball.middle(to.x);
    for (const ObstacleWay& way : ways) {
      const double approach = way.approach(start, end);
      if (!(approach > 0) || !way.at(0).within(ball.radius + 2 * approach, start)) continue;
      share = std::min(share, stiffly::clear_share(
                                  [&](double t) {
                                    const auto d = way.at(t).within(infinite, start + t * (end - start));
                                    return d ? d->value - ball.radius : infinite;
                                  },
                                  approach));
    }
  }
  return share;
}

}  // namespace stiffly
