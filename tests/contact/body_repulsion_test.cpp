// Bodies that meet each other: what they do to each other, what they keep, and what the tangent couples.
#include "stiffly/contact/body_repulsion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

const RepulsionLaw pair_law{5300, 0.011};
constexpr double skin_radius = 0.0041;

/// Every particle a node; none are pinned, so that numbers are those of the system.
ContactBodies bodies_of(std::vector<ThickElement> elements, std::vector<int> body) {
  ContactBodies out;
  for (int i = 0; i < static_cast<int>(body.size()); ++i) out.nodes.push_back({{i}});
  out.elements = std::move(elements);
  out.body = std::move(body);
  return out;
}

void touch_each_other(ParticleSystem& system, ContactBodies bodies, const RepulsionLaw& law,
                      const FrictionLaw& friction = {}) {
  system.add(std::make_unique<BodyRepulsion>(std::move(bodies), system.start_positions(), law, friction));
}

/// Balls that fly towards each other, one behind the other sideways.
ParticleSystem two_balls() {
  ParticleSystem system({{{-0.03, 0, 0}, {0.02, 0.003, 0.001}},
                         {{0.9, 0.1, 0}, {-0.4, -0.2, 0.3}},
                         {0.017, 0.041},
                         {false, false}});
  touch_each_other(system, bodies_of({{{0, -1, -1}, skin_radius}, {{1, -1, -1}, skin_radius}}, {0, 1}),
                   pair_law);
  system.finish();
  return system;
}

State end_of(const ParticleSystem& system, const std::string& method, double duration, double tolerance,
             double step = 0) {
  const auto stepper = make_stepper(method, system, system.initial_state(),
                                    {.duration = duration, .step = step, .tolerance = tolerance});
  while (!stepper->done()) stepper->advance();
  return stepper->state();
}

Vector3d velocity(const State& state, std::size_t i) { return Vector3d::Map(host(state.v()).data() + 3 * i); }

class BallsThatMeet : public testing::TestWithParam<const char*> {};

TEST_P(BallsThatMeet, KeepMomentumAndEnergy) {
  const ParticleSystem system = two_balls();
  const State start = system.initial_state(), end = end_of(system, GetParam(), 0.087, 1e-5);
  EXPECT_EQ(system.touch(end)->pairs, 0);  // apart again
  EXPECT_GT((velocity(end, 0) - velocity(start, 0)).norm(), 0.5);
  const Momentum before = system.momentum(start), after = system.momentum(end);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-13);
  EXPECT_NEAR(system.energy(end), system.energy(start), 2e-3 * system.energy(start));
}

// Rods that meet side by side, one hardly tilted and shifted against the other: what pushes them wanders
// along them, and turns them; no momentum or energy is lost.
TEST_P(BallsThatMeet, RodsSideBySideKeepThem) {
  const double u = 0.43, mass = 0.0013;
  ParticleSystem system({{{0, 0, 0}, {0.021, 0, 1e-5}, {0.002, 0, 0.0137}, {0.023, 2e-5, 0.0137}},
                         {{0, 0, u}, {0, 0, u}, {0, 0, -u}, {0, 0, -u}},
                         {mass, mass, mass, mass},
                         {false, false, false, false}});
  system.add(std::make_unique<Springs>(std::vector<Spring>{{0, 1, 3e5, 0.021}, {2, 3, 3e5, 0.021}}, 4));
  touch_each_other(system, bodies_of({{{0, 1, -1}, 0.003}, {{2, 3, -1}, 0.003}}, {0, 0, 1, 1}),
                   {7300, 0.0021});
  system.finish();
  const State start = system.initial_state(), end = end_of(system, GetParam(), 0.037, 1e-4);
  EXPECT_EQ(system.touch(end)->pairs, 0);
  EXPECT_NEAR((velocity(end, 0) + velocity(end, 1)).z() / 2, -u, 0.03 * u);  // some of it goes into turning
  const Momentum before = system.momentum(start), after = system.momentum(end);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-14);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-4 * 2 * mass * u * 0.021);
  EXPECT_NEAR(system.energy(end), system.energy(start), 2e-3 * system.energy(start));
}

INSTANTIATE_TEST_SUITE_P(Methods, BallsThatMeet,
                         testing::Values("verlet", "rk4", "exprb42", "ros3pl", "energy-momentum",
                                         "energy-exponential", "newmark", "tr-bdf2", "auto"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// Rods that cross, struck off their middles: with the weights w of the place where they meet, restitution 1
// means the impulse J = 2u/Σ(w²/m) along the normal.
TEST(BodyRepulsion, OfRodsGivesTheImpulseOfTheory) {
  const double share = 0.3, other = 0.45, speed = 0.7;
  const std::vector<double> mass = {0.013, 0.021, 0.017, 0.032};
  ParticleSystem system({{{-share * 0.2, 0, 0.03},
                          {(1 - share) * 0.2, 0, 0.03},
                          {0, -other * 0.3, 0},
                          {0, (1 - other) * 0.3, 0}},
                         {{0, 0, -speed}, {0, 0, -speed}, {0, 0, 0}, {0, 0, 0}},
                         mass,
                         {false, false, false, false}});
  system.add(std::make_unique<Springs>(std::vector<Spring>{{0, 1, 3e4, 0.2}, {2, 3, 3e4, 0.3}}, 4));
  const RepulsionLaw hard{3e5, 0.0037};
  touch_each_other(system, bodies_of({{{0, 1, -1}, skin_radius}, {{2, 3, -1}, skin_radius}}, {0, 0, 1, 1}),
                   hard);
  system.finish();
  const State end = end_of(system, "energy-momentum", 0.04, 0, 1.3e-5);
  const std::array<double, 4> w = {1 - share, share, 1 - other, other};
  double compliance = 0;
  for (std::size_t i = 0; i < 4; ++i) compliance += w[i] * w[i] / mass[i];
  const double impulse = 2 * speed / compliance;
  for (std::size_t i = 0; i < 4; ++i) {
    const double theory = (i < 2 ? -speed : 0) + (i < 2 ? 1 : -1) * w[i] * impulse / mass[i];
    // While they touch, for a thousandth of a second, the rods turn a little.
    EXPECT_NEAR(velocity(end, i).z(), theory, 0.02 * speed) << i;
  }
}

// A chain that falls in a heap onto itself and a table: the energy method neither makes nor loses energy.
TEST(BodyRepulsion, KeepsTheEnergyOfAHeap) {
  Particles p;
  std::vector<Spring> springs;
  std::vector<ThickElement> links;
  const int count = 13;
  for (int i = 0; i < count; ++i) {
    p.position.push_back({0.021 * std::sin(1.9 * i), 0.021 * std::cos(2.3 * i), 0.03 + 0.017 * i});
    p.velocity.push_back({0, 0, 0});
    p.mass.push_back(0.011);
    p.pinned.push_back(false);
  }
  p.position.insert(p.position.end(), {{-1, -1, 0}, {1, -1, 0}, {0, 1.5, 0}});  // the table
  for (int i = 0; i < 3; ++i) {
    p.velocity.push_back({0, 0, 0});
    p.mass.push_back(1);
    p.pinned.push_back(true);
  }
  ParticleSystem system(p);
  for (int i = 0; i + 1 < count; ++i) {
    const double length = (Vector3d::Map(p.position[static_cast<std::size_t>(i)].data()) -
                           Vector3d::Map(p.position[static_cast<std::size_t>(i) + 1].data()))
                              .norm();
    springs.push_back({i, i + 1, 3e4, length});
    links.push_back({{i, i + 1, -1}, 0.003});
  }
  links.push_back({{count, count + 1, count + 2}, 0.003});
  for (int i = 0; i < count; ++i) links.push_back({{i, -1, -1}, 0.003});
  std::vector<int> body(static_cast<std::size_t>(count), 0);
  body.insert(body.end(), 3, 1);
  system.add(std::make_unique<Springs>(springs, p.size()));
  system.add(std::make_unique<Gravity>(Vector3d(0, 0, -9.81), p.mass));
  touch_each_other(system, bodies_of(links, body), {31000, 0.007});
  system.finish();
  const State start = system.initial_state();
  IntegratorOptions options;
  options.newton_tolerance = 1e-11;
  const auto stepper = make_stepper("energy-momentum", system, start,
                                    {.duration = 0.45, .step = 7e-4, .tolerance = 0}, options);
  const double floor = system.potential_energy(0, start.x());
  long touched = 0;
  double largest_kinetic = 0, worst = 0;
  while (!stepper->done()) {
    stepper->advance();
    touched = std::max(touched, system.touch(stepper->state())->pairs);
    EXPECT_EQ(system.touch(stepper->state())->deepest, 0);
    largest_kinetic = std::max(largest_kinetic, system.kinetic_energy(stepper->state().v()));
    worst = std::max(worst, std::abs(system.energy(stepper->state()) - floor));
  }
  EXPECT_GT(touched, 4);
  RecordProperty("drift", std::to_string(worst / largest_kinetic));
  EXPECT_LT(worst, 1e-6 * largest_kinetic);
}

// A particle on a slope made of a pinned triangle: Coulomb's law.
TEST(BodyRepulsion, HoldsOnASlopeUpToTheAngleOfFriction) {
  const double mu = 0.43, mass = 0.029, creep = 2e-5, duration = 0.4;
  const auto slide = [&](double slope) {
    const double angle = std::atan(slope);
    const Vector3d normal(std::sin(angle), 0, std::cos(angle)),
        downhill(std::cos(angle), 0, -std::sin(angle));
    const auto corner = [&](double along, double across) -> std::array<double, 3> {
      const Vector3d x = along * downhill + Vector3d(0, across, 0);
      return {x[0], x[1], x[2]};
    };
    const double depth = std::sqrt(mass * 9.81 * std::cos(angle) * pair_law.range / pair_law.stiffness);
    const Vector3d x = (skin_radius + pair_law.range - depth) * normal;
    ParticleSystem system({{{x[0], x[1], x[2]}, corner(-3, -4.1), corner(7, -4), corner(0.3, 9)},
                           {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                           {mass, 1, 1, 1},
                           {false, true, true, true}});
    touch_each_other(system, bodies_of({{{0, -1, -1}, skin_radius}, {{1, 2, 3}, 0}}, {0, 1, 1, 1}), pair_law,
                     {mu, creep});
    system.add(std::make_unique<Gravity>(Vector3d(0, 0, -9.81), std::vector<double>{mass, 1, 1, 1}));
    system.finish();
    const State end = end_of(system, "tr-bdf2", duration, 0, 1.7e-4);
    return downhill.dot(velocity(end, 0));
  };
  EXPECT_LT(slide(0.99 * mu), 10 * creep);
  for (const double slope : {1.01 * mu, 1.6 * mu}) {
    const double acceleration = 9.81 * (slope - mu) / std::hypot(1, slope);
    EXPECT_NEAR(slide(slope), acceleration * duration, 0.01 * acceleration * duration + 10 * creep) << slope;
  }
}

TEST(BodyRepulsion, CouplesWhatTouchesAndLetsGo) {
  const ParticleSystem system = two_balls();
  const State apart = system.initial_state();
  State near = apart;
  host(near.x())[3] = host(near.x())[0] + 0.012;
  Tangent tangent;
  system.tangent(0, apart.x(), apart.v(), tangent);
  EXPECT_EQ(tangent.stiffness.pattern().blocks(), 2u);
  system.tangent(0, near.x(), near.v(), tangent);
  EXPECT_EQ(tangent.stiffness.pattern().blocks(), 4u);
  const auto pattern = tangent.stiffness.shared_pattern();
  host(near.x())[4] += 1e-4;
  system.tangent(0, near.x(), near.v(), tangent);
  EXPECT_EQ(tangent.stiffness.shared_pattern(), pattern);  // the symbolic work is kept
  system.tangent(0, apart.x(), apart.v(), tangent);
  EXPECT_EQ(tangent.stiffness.pattern().blocks(), 2u);
}

/// What decides where two elements are nearest to each other.
std::vector<int> features(const ContactBodies& bodies, std::span<const double> x) {
  const NearPairs pairs(bodies.elements);
  std::vector<int> out;
  for (int j = 0; j < static_cast<int>(bodies.elements.size()); ++j)
    for (int i = 0; i < j; ++i) {
      const ElementPair pair = pairs.pair(i, j);
      if (pair.kind == Meeting::none) continue;
      const Proximity nearest = pair.nearest(pair.corners(x));
      for (const double weight : nearest.weights) out.push_back(weight != 0);
      out.push_back(nearest.freedoms);
    }
  return out;
}

// force = −∇energy and tangent = −∇force, with friction and a node that is the mean of two particles. Where
// the nearest points change from one edge or corner to another, there is no second derivative: such states
// are left out.
TEST(BodyRepulsion, PassesTheTriangleTest) {
  std::mt19937 random(41);
  std::normal_distribution<double> normal(0, 0.6);
  int tried = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const double mu = trial % 2 ? 0.7 : 0;
    Particles p;
    for (int i = 0; i < 9; ++i) {
      p.position.push_back({normal(random), normal(random), normal(random)});
      p.velocity.push_back({normal(random), normal(random), normal(random)});
      p.mass.push_back(1.0 + i);
      p.pinned.push_back(i >= 7);
    }
    ContactBodies bodies;
    bodies.nodes = {{{0}}, {{1}}, {{2, 8}}, {{3}}, {{4}}, {{5}}, {{6}}, {{7}}};
    bodies.elements = {{{0, 1, -1}, 0.07}, {{2, 3, -1}, 0.11}, {{4, -1, -1}, 0.03}, {{5, 6, 7}, 0.05}};
    bodies.body = {0, 0, 1, 1, 2, 3, 3, 3};
    std::vector<double> apart;
    for (int i = 0; i < 27; ++i) apart.push_back(13.0 * i);
    ParticleSystem system(p);
    const RepulsionLaw law{.stiffness = 37, .range = 1.3, .barrier = trial % 3 == 0};
    system.add(std::make_unique<BodyRepulsion>(bodies, apart, law, FrictionLaw{mu, 0.3}));
    system.finish();
    State state = system.initial_state();
    if (!(system.potential_energy(0, state.x()) < 400)) continue;  // nearly in touch, or behind a barrier
    const auto n = static_cast<Eigen::Index>(state.unknowns());
    const auto features_now = [&] {
      std::vector<double> all(system.start_positions().begin(), system.start_positions().end()), nodes;
      std::copy_n(host(state.x()).begin(), state.unknowns(), all.begin());
      bodies.gather(all, nodes);
      return features(bodies, nodes);
    };
    const auto force_now = [&]() -> Eigen::VectorXd {
      Vector f(state.unknowns());
      system.force(0, state.x(), state.v(), f);
      return Eigen::VectorXd::Map(host(f).data(), n);
    };
    const auto before = features_now();
    bool smooth = true;
    constexpr double delta = 1e-5;
    const auto difference = [&](VectorView part, Eigen::Index i, const auto& measure) {
      double& entry = host(part)[static_cast<std::size_t>(i)];
      const double here = entry;
      entry = here + delta;
      smooth &= features_now() == before;
      const Eigen::VectorXd after = measure();
      entry = here - delta;
      smooth &= features_now() == before;
      const Eigen::VectorXd out = (after - measure()) / (2 * delta);
      entry = here;
      return out;
    };
    const auto energy_now = [&]() -> Eigen::VectorXd {
      return Eigen::VectorXd::Constant(1, system.potential_energy(0, state.x()));
    };
    Tangent tangent;
    system.tangent(0, state.x(), state.v(), tangent);
    Eigen::MatrixXd K = tangent.stiffness.to_dense(), C = Eigen::MatrixXd::Zero(n, n);
    EXPECT_LT((K - K.transpose()).norm(), 1e-12 * (1 + K.norm()));
    if (mu > 0) {
      const Eigen::MatrixXd skew = tangent.circulatory.to_dense();
      EXPECT_LT((skew + skew.transpose()).norm(), 1e-12 * (1 + skew.norm()));
      K += skew;
      C = tangent.damping.to_dense();
    }
    const Eigen::VectorXd force = force_now();
    Eigen::MatrixXd dfdx(n, n), dfdv(n, n);
    Eigen::VectorXd gradient(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      gradient.segment<1>(i) = difference(state.x(), i, energy_now);
      dfdx.col(i) = difference(state.x(), i, force_now);
      dfdv.col(i) = difference(state.v(), i, force_now);
    }
    if (!smooth || force.isZero(0)) continue;
    ++tried;
    if (mu == 0) {
      EXPECT_LT((force + gradient).norm(), 1e-6 * (1 + force.norm())) << trial;
    }
    EXPECT_LT((K + dfdx).norm(), 1e-4 * (1 + K.norm())) << trial;
    EXPECT_LT((C + dfdv).norm(), 1e-6 * (1 + C.norm())) << trial;
  }
  EXPECT_GT(tried, 100);
}

/// Segments, points and triangles in a cube, many of them near each other.
ContactBodies crowd(std::mt19937& random, std::vector<double>& x) {
  std::uniform_real_distribution<double> place(0, 0.1);
  std::vector<ThickElement> elements;
  std::vector<int> body;
  for (int e = 0; e < 60; ++e) {
    const int corners = 1 + e % 3, first = static_cast<int>(body.size());
    ThickElement element{.radius = 1e-4};
    for (int c = 0; c < corners; ++c) element.corners[static_cast<std::size_t>(c)] = first + c;
    elements.push_back(element);
    body.insert(body.end(), static_cast<std::size_t>(corners), e);
    Vector3d middle(place(random), place(random), place(random));
    for (int c = 0; c < corners; ++c)
      for (int d = 0; d < 3; ++d) x.push_back(middle[d] + 0.1 * place(random));
  }
  return bodies_of(elements, body);
}

// The list is a shortcut: energies are those of all pairs, wherever it was made.
TEST(BodyRepulsion, OfACrowdIsThatOfAllPairs) {
  std::mt19937 random(29);
  std::vector<double> x;
  const ContactBodies bodies = crowd(random, x);
  const RepulsionLaw law{370, 0.021};
  const BodyRepulsion force(bodies, x, law);
  const NearPairs all(bodies.elements);
  std::normal_distribution<double> jitter(0, 0.0009);
  int pairs = 0;
  for (int move = 0; move < 40; ++move) {
    for (double& value : x) value += jitter(random);
    double sum = 0;
    for (int j = 0; j < static_cast<int>(bodies.elements.size()); ++j)
      for (int i = 0; i < j; ++i)
        if (const ElementPair pair = all.pair(i, j); pair.kind != Meeting::none) {
          const Corners c = pair.corners(x);
          const bool segments = pair.kind == Meeting::segments;
          const double thickness = 2e-4;
          const double gap =
              (segments ? rounded_nearest_of_segments(c, thickness) : pair.nearest(c)).distance(c) -
              thickness;
          sum += law.energy(gap);
          pairs += gap < law.range;
        }
    EXPECT_NEAR(force.energy({0, x.size() / 3, x, x}), sum, 1e-12 * sum) << move;
  }
  EXPECT_GT(pairs, 400);
}

TEST(BodyRepulsion, TakesNeighboursInAShapeForOneThing) {
  // A chain whose links are shorter than the range: it does not push itself, folded up it does.
  std::vector<double> x;
  std::vector<ThickElement> links;
  for (int i = 0; i < 9; ++i) x.insert(x.end(), {0.004 * i, 0, 0});
  for (int i = 0; i < 8; ++i) links.push_back({{i, i + 1, -1}, 0.0011});
  const std::vector<int> body(9, 0);
  const BodyRepulsion force(bodies_of(links, body), x, {100, 0.005});
  EXPECT_EQ(force.energy({0, 9, x, x}), 0);
  std::vector<double> folded = x;
  for (std::size_t i = 5; i < 9; ++i) {
    folded[3 * i] = 0.004 * (8.3 - static_cast<double>(i));
    folded[3 * i + 1] = 0.003;
  }
  EXPECT_GT(force.energy({0, 9, folded, folded}), 0);
  ContactBodies strangers = bodies_of(links, body);
  strangers.themselves = false;
  EXPECT_EQ(BodyRepulsion(strangers, x, {100, 0.005}).energy({0, 9, folded, folded}), 0);
}

TEST(BodyRepulsion, RefusesBodiesThatOverlap) {
  const std::vector<double> x = {0, 0, 0, 0.005, 0, 0};
  try {
    const BodyRepulsion force(bodies_of({{{0, -1, -1}, 0.004}, {{1, -1, -1}, 0.004}}, {0, 1}), x, pair_law);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("0.003 m inside each other"), std::string::npos) << error.what();
  }
  EXPECT_THROW(BodyRepulsion(bodies_of({{{0, -1, -1}, 0}, {{1, -1, -1}, 0}}, {0, 1}), x, {0, 0.1}),
               InputError);
  EXPECT_THROW(BodyRepulsion(bodies_of({{{0, -1, -1}, 0}, {{1, -1, -1}, 0}}, {0, 1}), x, pair_law, {-1, 1}),
               InputError);
}

TEST(BodyRepulsion, NamesTheDeepestOfManyOverlaps) {
  const std::vector<double> x = {0, 0, 0, 0.0071, 0, 0, 0.0111, 0, 0, 0.4, 0, 0};
  std::vector<ThickElement> balls;
  for (int i = 0; i < 4; ++i) balls.push_back({{i, -1, -1}, 0.004});
  try {
    const BodyRepulsion force(bodies_of(balls, {0, 1, 2, 3}), x, pair_law);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(
        std::string(error.what())
            .find("0.004 m inside each other, the one at particle 1 and the one at particle 2, and 1 other "
                  "pair less deep"),
        std::string::npos)
        << error.what();
  }
}

TEST(BodyRepulsion, SaysNothingOfPlacesThatAreNoNumbers) {
  const ParticleSystem system = two_balls();
  State lost = system.initial_state();
  host(lost.x())[1] = std::nan("");
  EXPECT_EQ(system.touch(lost)->pairs, 0);
  host(lost.x())[1] = 1e200;
  EXPECT_EQ(system.touch(lost)->pairs, 0);
}

// However loose the tolerance, no step jumps over the range.
TEST(BodyRepulsion, LimitsStepsUnderATolerance) {
  const ParticleSystem system = two_balls();
  for (const char* method : {"exprb42", "ros3pl", "rk4", "energy-momentum"}) {
    const auto stepper = make_stepper(method, system, system.initial_state(),
                                      {.duration = 0.087, .step = 0, .tolerance = 0.1});
    double deepest = 0;
    long pairs = 0;
    while (!stepper->done()) {
      stepper->advance();
      deepest = std::max(deepest, system.touch(stepper->state())->deepest);
      pairs = std::max(pairs, system.touch(stepper->state())->pairs);
    }
    EXPECT_EQ(deepest, 0) << method;
    EXPECT_EQ(pairs, 1) << method;
  }
}

}  // namespace
}  // namespace stiffly
