// Fibres in batches that touch: none too deep, none through another, whoever does the work; and the energy
// that this takes.
#include "stiffly/fibres/fibre_contact.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "crossings.hpp"
#include "fibres/random_fibres.hpp"
#include "stiffly/error.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::test {
namespace {

using Eigen::Vector3d;

constexpr double radius = 2.3e-4, depth = 0.01 * 2 * radius;
constexpr std::size_t side = 6, count = side * side;

/// A brush of fibres that fly into each other.
MovingFibre bristle(std::size_t number) {
  std::mt19937 random(static_cast<unsigned>(number) + 5);
  std::normal_distribution<double> normal;
  const int segments = 4 + static_cast<int>(number % 4);
  CentreLine line;
  for (int i = 0; i <= segments; ++i) {
    line.points.emplace_back(0.0043 * static_cast<double>(number % side),
                             0.0037 * static_cast<double>(number / side), -0.013 * i);
    line.thickness.push_back(2 * radius);
  }
  MovingFibre out;
  out.number = number;
  out.shape = make_fibre(line, {.young = 2.1e7, .torsion = 7e6, .density = 1170}, number);
  for (Spring& s : out.shape.springs) s.damping = 2.3e-4 * s.stiffness;
  const Vector3d push(3.7 * normal(random), 3.7 * normal(random), 0.1 * normal(random));
  for (std::size_t p = 0; p < out.shape.position.size(); ++p) {
    const double s = static_cast<double>(p / batch::corners) / segments;
    for (int d = 0; d < 3; ++d) out.velocity.push_back(s * s * push[d]);
  }
  return out;
}

FibreSupply brush() {
  FibreSupply out;
  for (std::size_t i = 0; i < count; ++i) out.segments.push_back(bristle(i).shape.segments);
  out.fibre = bristle;
  return out;
}

/// All fibres with contact, and a look at what they do.
class Brush {
 public:
  explicit Brush(const FibreContactLaw& law, int lanes = 0, double tolerance = 1e-2)
      : fibres_(brush(), test_gravity,
                {.duration = 0.06, .step = 6e-4, .tolerance = tolerance, .iteration_tolerance = 1e-12},
                lanes),
        contact_(fibres_, brush().segments, law),
        segments_(elements()) {
    for (std::size_t i = 0; i < count; ++i)
      first_.push_back(first_.back() + 3 * (bristle(i).shape.segments + 1));
    x_.resize(static_cast<std::size_t>(first_.back()));
    gather();
  }

  /// With contact, or without.
  Passage advance(double until, bool contact = true) {
    const std::vector<double> before = x_;
    if (contact)
      report_ += contact_.advance(until);
    else
      fibres_.advance(until);
    gather();
    return passage(segments_, body_, before, x_);
  }
  const std::vector<double>& x() const { return x_; }
  const ProjectionReport& report() const { return report_; }
  FibreSimulation& fibres() { return fibres_; }

 private:
  std::vector<ThickElement> elements() {
    std::vector<ThickElement> out;
    for (std::size_t i = 0; i < count; ++i)
      for (int s = 0, segments = bristle(i).shape.segments; s <= segments; ++s) {
        const int node = static_cast<int>(body_.size());
        body_.push_back(static_cast<int>(i));
        if (s < segments) out.push_back({{node, node + 1, -1}, radius});
      }
    return out;
  }
  void gather() {
    for (std::size_t i = 0; i < count; ++i) {
      auto at = x_.begin() + first_[i];
      for (const Vector3d& middle : centre_line(fibres_.positions(i)))
        at = std::copy_n(middle.begin(), 3, at);
    }
  }

  std::vector<int> body_;
  std::vector<std::ptrdiff_t> first_ = {0};
  FibreSimulation fibres_;
  FibreContact contact_;
  NearPairs segments_;
  std::vector<double> x_;
  ProjectionReport report_;
};

constexpr FibreContactLaw law = {
    .projection = {.friction = 0.23, .depth = depth}, .radius = radius, .interval = 1.1e-3};

TEST(FibreContact, KeepsABrushApart) {
  for (const double tolerance : {0.0, 1e-2}) {
    Brush with(law, 0, tolerance), without(law, 0, tolerance);
    long through = 0;
    for (int k = 1; k <= 40; ++k) {
      const Passage passed = with.advance(k * law.interval);
      EXPECT_EQ(passed.through, 0) << k;
      EXPECT_LE(passed.deepest, depth * (1 + 1e-9)) << k;
      through += without.advance(k * law.interval, false).through;
    }
    EXPECT_GT(through, 10);
    EXPECT_GT(with.report().crossings, 3);
    EXPECT_LE(with.report().deepest, depth);
  }
}

// One long way is many intervals.
TEST(FibreContact, MeetsAtEqualPartsOfTheWay) {
  Brush often(law), once(law);
  for (int k = 1; k <= 4; ++k) often.advance(0.0044 * k / 4);
  once.advance(0.0044);
  double most = 0;
  for (std::size_t i = 0; i < once.x().size(); ++i)
    most = std::max(most, std::abs(once.x()[i] - often.x()[i]));
  EXPECT_LT(most, 1e-9);
}

TEST(FibreContact, DependsOnNoThreadsNorLanes) {
  const int before = thread_count();
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    Brush fibres(law);
    fibres.advance(0.0331);
    if (first.empty()) first = fibres.x();
    EXPECT_EQ(fibres.x(), first) << threads;
    EXPECT_GT(fibres.report().contacts, 3);
  }
  set_thread_count(before);
  Brush single(law, 1);
  single.advance(0.0331);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(single.x()[i], first[i], 1e-7) << i;
}

// Where middles of cross-sections would be inside a ball that comes at them, they are on it.
TEST(FibreContact, KeepsOutOfObstacles) {
  FibreContactLaw with_ball = law;
  with_ball.obstacles.emplace_back(ball({0.01, 0.009, -0.088}, 0.0231),
                                   std::make_shared<Shake>(Vector3d(0.1, 0.2, 1), 0.011, 0.0, 7.3));
  Brush fibres(with_ball);
  double moved = 0;
  for (int k = 1; k <= 30; ++k) {
    EXPECT_EQ(fibres.advance(k * law.interval).through, 0) << k;
    const PlacedShape shape = with_ball.obstacles[0].at(k * law.interval);
    for (std::size_t i = 0; i < fibres.x().size(); i += 3) {
      if (fibres.x()[i + 2] == 0) continue;
      const auto d = shape.within(1, Vector3d::Map(fibres.x().data() + i));
      EXPECT_GT(d->value, radius - depth * (1 + 1e-9));
      moved += d->value < radius + depth;
    }
  }
  EXPECT_GT(moved, 3);
}

// What grows along a ball is nearer to it than its thickness beside the root, where next to nothing moves it:
// to ask for the whole thickness there would take the first free cross-section far away.
TEST(FibreContact, LeavesWhatGrowsAlongAnObstacleWhereItIs) {
  constexpr double ball_radius = 0.0917, length = 0.0131;
  for (const double lowest :
       {0.003, 0.017, 0.21}) {  // share of the first segment where it is deepest in the ball
    CentreLine line;
    const double rises = -length * length / ball_radius * lowest;
    for (int i = 0; i <= 5; ++i) {
      line.points.emplace_back(length * i, 0, rises * i);
      line.thickness.push_back(2 * radius);
    }
    const FibreSupply one = {.segments = {5}, .fibre = [&](std::size_t number) {
                               MovingFibre out;
                               out.shape = make_fibre(line, {.young = 2.1e7, .torsion = 7e6, .density = 1170},
                                                      number);
                               out.velocity.assign(3 * out.shape.position.size(), 0.0);
                               return out;
                             }};
    FibreContactLaw on_a_ball = law;
    on_a_ball.projection.measure = ProjectionMeasure::stiffness;
    on_a_ball.obstacles.emplace_back(ball({0, 0, -ball_radius}, ball_radius));
    FibreSimulation fibres(one, Eigen::Vector3d::Zero(), {.duration = 0.06, .step = 6e-4});
    FibreContact contact(fibres, one.segments, on_a_ball);
    const ProjectionReport report = contact.advance(1e-3);
    EXPECT_EQ(report.contacts, 1) << lowest;
    EXPECT_EQ(report.halvings, 0) << lowest;
    EXPECT_LE(report.deepest, depth) << lowest;
    const std::vector<Vector3d> now = centre_line(fibres.positions(0));
    const double dips = length * length / (2 * ball_radius) * lowest;  // and no more is asked of the section
    EXPECT_GT((now[1] - line.points[1]).norm(), radius / 2) << lowest;
    EXPECT_LT((now[1] - line.points[1]).norm(), 2 * (radius + dips)) << lowest;
  }
}

/// Always on at the same velocity.
class Glide final : public Motion {
 public:
  explicit Glide(const Vector3d& velocity) : velocity_(velocity) {}
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    for (std::size_t i = 0; i < start.size(); i += 3) {
      Vector3d::Map(x.data() + i) = Vector3d::Map(start.data() + i) + t * velocity_;
      Vector3d::Map(v.data() + i) = velocity_;
    }
  }

 private:
  Vector3d velocity_;
};

/// A brush that glides, and a ball that comes into it; what contact did to it within 33 ms.
ProjectionReport glide(const FibreContactLaw& law, const Vector3d& velocity, std::vector<double>& x) {
  FibreSupply gliding = brush();
  gliding.fibre = [&](std::size_t i) {
    MovingFibre out = bristle(i);
    for (std::size_t k = 0; k < out.velocity.size(); k += 3)
      Vector3d::Map(out.velocity.data() + k) += velocity;
    out.motion = std::make_shared<Glide>(velocity);
    return out;
  };
  FibreContactLaw with_ball = law;
  with_ball.obstacles.emplace_back(ball({0.01, 0.009, -0.1147}, 0.0231),
                                   std::make_shared<Glide>(velocity + Vector3d(0.2, -0.1, 0.6)));
  FibreSimulation fibres(gliding, Vector3d::Zero(),
                         {.duration = 0.06, .step = 6e-4, .iteration_tolerance = 1e-12});
  FibreContact contact(fibres, gliding.segments, with_ball);
  const double until = 30 * law.interval;
  const ProjectionReport report = contact.advance(until);
  x.clear();
  for (std::size_t i = 0; i < count; ++i)
    for (const Vector3d& middle : centre_line(fibres.positions(i)))
      for (int d = 0; d < 3; ++d) x.push_back(middle[d] - until * velocity[d]);
  return report;
}

// Where all of it glides on, what brings energy in and takes it is a matter of who looks; what contact makes
// beyond that is not, and is known.
TEST(FibreContact, MakesNoEnergyWhoeverLooks) {
  for (const ProjectionMeasure measure : {ProjectionMeasure::mass, ProjectionMeasure::stiffness}) {
    FibreContactLaw by = law;
    by.projection.measure = measure;
    std::vector<double> x, gliding_x;
    const ProjectionReport rest = glide(by, Vector3d::Zero(), x),
                           gliding = glide(by, Vector3d(1.7, -2.3, 0.9), gliding_x);
    EXPECT_GT(rest.contacts, 3);
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - gliding_x[i]));
    EXPECT_LT(most, 1e-6 * 0.1);
    EXPECT_GT(std::abs(rest.driven), 1e-5);
    EXPECT_GT(std::abs(gliding.driven - rest.driven), 1e-5);
    const double by_itself = rest.taken + rest.driven;
    const double error = 1e-8 * std::abs(rest.taken) + 1e-6 * std::abs(gliding.driven);
    EXPECT_NEAR(gliding.taken + gliding.driven, by_itself, error);
    EXPECT_NEAR(gliding.made, rest.made, error);
    EXPECT_GE(by_itself, -rest.made - error);
  }
}

// Where one interval cannot be mended it is taken as two: fibres go back and come again.
TEST(FibreContact, GoesBackBitForBit) {
  Brush fibres(law), same(law);
  for (Brush* b : {&fibres, &same}) b->advance(0.0077);
  fibres.fibres().keep();
  fibres.fibres().advance(0.0123);
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  fibres.fibres().go_back(all);
  EXPECT_EQ(fibres.fibres().time(), 0.0077);
  for (Brush* b : {&fibres, &same}) b->advance(0.0154);
  EXPECT_EQ(fibres.x(), same.x());
}

TEST(FibreContact, RefusesLawsThatMakeNoSense) {
  FibreContactLaw wrong = law;
  wrong.interval = 0;
  EXPECT_THROW(Brush{wrong}, InputError);
  wrong = law;
  wrong.projection.depth = -1;
  EXPECT_THROW(Brush{wrong}, InputError);
}

}  // namespace
}  // namespace stiffly::test
