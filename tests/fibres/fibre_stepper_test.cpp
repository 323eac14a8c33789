// Systems of fibres through batches: the general method's results, exact books, resuming bit for bit.
#include "stiffly/fibres/fibre_stepper.hpp"

#include <gtest/gtest.h>

#include "fibres/random_fibres.hpp"
#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/air_drag.hpp"
#include "stiffly/integrators/memory_reader.hpp"

namespace stiffly::test {
namespace {

/// Fibres of 1 to 10 segments after a pinned particle that belongs to nobody, shaken, in a wind.
struct FibreScene {
  std::unique_ptr<ParticleSystem> system;
  std::vector<Strand> strands;
};

struct Extras {
  double damping_time = 0.0013;
  double drag = 4e-8;  ///< N s/m, of each particle
  bool moving = true;
  std::function<void(ParticleSystem&)> add = {};
};

FibreScene fibre_scene(std::size_t count, const Extras& extras = {}) {
  FibreScene out;
  Particles p;
  const auto add = [&](const std::array<double, 3>& x, const std::array<double, 3>& v, double mass,
                       bool pinned) {
    p.position.push_back(x);
    p.velocity.push_back(v);
    p.mass.push_back(mass);
    p.pinned.push_back(pinned);
  };
  add({1, 2, 3}, {0, 0, 0}, 1, true);
  std::vector<Spring> springs;
  std::vector<int> roots;
  for (std::size_t i = 0; i < count; ++i) {
    const MovingFibre fibre = random_fibre(i + 31, {.damping_time = extras.damping_time});
    const int first = static_cast<int>(p.size());
    out.strands.push_back({first, fibre.shape.segments + 1});
    for (Spring s : fibre.shape.springs) {
      s.first += first;
      s.second += first;
      springs.push_back(s);
    }
    for (std::size_t k = 0; k < fibre.shape.mass.size(); ++k) {
      const Eigen::Vector3d x = fibre.shape.position[k];
      const bool root = k < batch::corners;
      if (root) roots.push_back(first + static_cast<int>(k));
      const double* v = fibre.velocity.data() + 3 * k;
      add({x.x(), x.y(), x.z()}, {root ? 0 : v[0], root ? 0 : v[1], root ? 0 : v[2]}, fibre.shape.mass[k],
          root);
    }
  }
  out.system = std::make_unique<ParticleSystem>(p);
  for (Spring& s : springs)
    for (int* end : {&s.first, &s.second}) *end = out.system->rank()[static_cast<std::size_t>(*end)];
  out.system->add(std::make_unique<Springs>(springs, p.size()));
  const auto masses = out.system->masses();
  out.system->add(std::make_unique<Gravity>(test_gravity, std::vector<double>(masses.begin(), masses.end())));
  if (extras.drag > 0)
    out.system->add(std::make_unique<AirDrag>(std::vector<double>(p.size(), extras.drag),
                                              Eigen::Vector3d(0.7, -0.2, 0.4)));
  if (extras.add) extras.add(*out.system);
  if (extras.moving)
    out.system->prescribe(roots, std::make_shared<Shake>(Eigen::Vector3d(1, 2, 0.5), 0.007, 0.2, 2.3));
  out.system->finish();
  return out;
}

SystemFibres fibres_of(const FibreScene& scene) {
  std::string why;
  std::optional<SystemFibres> out = SystemFibres::find(*scene.system, scene.strands, why);
  EXPECT_EQ(why, "");
  return std::move(out.value());
}

double distance(const State& a, const State& b) {
  Vector difference(a.y);
  axpy(-1.0, b.y, difference);
  return norm(difference);
}

// At given steps all do what the general method does on the system as one.
TEST(FibreStepper, IsTheGeneralMethod) {
  const FibreScene scene = fibre_scene(23);
  const State start = scene.system->initial_state();
  const StepPlan plan{.duration = 0.0133, .step = 0.0007};
  const IntegratorOptions options{.newton_tolerance = 1e-12};
  FibreStepper batches(*scene.system, fibres_of(scene), start, plan, {0.0049, 0.0063, 0.0133}, options);
  const auto joint = make_stepper("energy-momentum", *scene.system, start, plan, options);
  while (!joint->done()) joint->advance();
  long steps = 0;
  while (!batches.done()) steps += batches.advance().steps;
  EXPECT_EQ(steps, 23 * 19);
  EXPECT_EQ(batches.state().time, 0.0133);
  EXPECT_LT(distance(batches.state(), joint->state()), 1e-8 * distance(joint->state(), start));
  EXPECT_NEAR(batches.energy(), joint->energy(), 1e-8 * std::abs(joint->energy()));
  EXPECT_GT(batches.work().solve, 2 * 23 * 19);
}

// Kinetic + potential changes by what the roots bring in less what dashpots and the air take, to what the
// iteration leaves; and these are the integrals of the system's own flows.
class FibreBooks : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Tolerances, FibreBooks, ::testing::Values(0, 3e-2));

TEST_P(FibreBooks, AreExact) {
  const FibreScene scene = fibre_scene(9);
  const State start = scene.system->initial_state();
  const double duration = 0.0217;
  FibreStepper stepper(*scene.system, fibres_of(scene), start,
                       {.duration = duration, .step = 0.0031, .tolerance = GetParam()}, {0.0093, duration},
                       {.newton_tolerance = 1e-11});
  double kinetic = 0;
  while (!stepper.done()) {
    stepper.advance();
    const EnergyTotals totals = *stepper.energy_totals();
    kinetic = std::max(kinetic, scene.system->kinetic_energy(stepper.state().v()));
    const double error = stepper.energy() - stepper.initial_energy() -
                         (totals.supports + totals.fields - totals.all_dissipated());
    EXPECT_LT(std::abs(error), (GetParam() > 0 ? 1e-3 : 1e-8) * kinetic);
  }
}

const ExponentialTableau& exprb42() {
  return *FibreStepper::exponential("exprb42", {.duration = 1, .step = 1e-4}, {});
}

TEST(FibreStepper, IsTheGeneralExponentialMethod) {
  const FibreScene scene = fibre_scene(5);
  const State start = scene.system->initial_state();
  const StepPlan plan{.duration = 2.1e-4, .step = 3e-5};
  const IntegratorOptions options{.phi_tolerance = 1e-10};
  FibreStepper batches(*scene.system, fibres_of(scene), start, plan, {9e-5, 2.1e-4}, options, nullptr, {}, {},
                       &exprb42());
  EXPECT_EQ(batches.traits().name, "exprb42");
  const FibreScene other = fibre_scene(5);
  const auto joint = make_stepper("exprb42", *other.system, start, plan, options);
  while (!joint->done()) joint->advance();
  long steps = 0;
  while (!batches.done()) steps += batches.advance().steps;
  EXPECT_EQ(steps, 5 * 7);
  EXPECT_LT(distance(batches.state(), joint->state()), 1e-7 * distance(joint->state(), start));
  EXPECT_EQ(batches.work().tangent, steps);
  EXPECT_GT(batches.work().solve, 5 * steps);
  EXPECT_GT(batches.work().product, batches.work().solve);
}

// What options say of evaluators is for the general method.
TEST(FibreStepper, TakesExponentialMethodsThatAreLeftToIt) {
  const StepPlan given{.duration = 1, .step = 1e-4}, chosen{.duration = 1, .tolerance = 1e-3};
  EXPECT_TRUE(FibreStepper::exponential("pexprb43", given, {}));
  EXPECT_FALSE(FibreStepper::exponential("pexprb43", chosen, {}));
  EXPECT_FALSE(FibreStepper::exponential("pexprb43", given, {.evaluator = "kiops"}));
  EXPECT_FALSE(FibreStepper::exponential("exprb43", given, {}));
  EXPECT_FALSE(FibreStepper::exponential("tr-bdf2", given, {}));
}

// What vibrates faster than the steps is in nobody's books: from rest there is little of it. They miss no
// more than those of the general way do.
TEST(FibreBooksTest, OfExponentialStepsAreAsGoodAsTheGeneralOnes) {
  const FibreScene scene = fibre_scene(4);
  State start = scene.system->initial_state();
  fill(0.0, start.v());
  const double duration = 0.0096;
  for (const double h : {1.2e-4, 3e-5}) {
    const StepPlan plan{.duration = duration, .step = h};
    const IntegratorOptions options{.phi_tolerance = 1e-6};
    FibreStepper batches(*scene.system, fibres_of(scene), start, plan, {duration}, options, nullptr, {}, {},
                         &exprb42());
    batches.advance();
    const auto joint = make_stepper("exprb42", *scene.system, start, plan, options);
    EnergyBooks books(*scene.system);
    for (books.see(joint->state()); !joint->done(); books.see(joint->state())) joint->advance();
    const double kinetic = scene.system->kinetic_energy(batches.state().v());
    const auto missed = [&](const Stepper& stepper, const EnergyTotals& totals) {
      return std::abs(stepper.energy() - stepper.initial_energy() -
                      (totals.supports + totals.fields - totals.all_dissipated())) /
             kinetic;
    };
    const double here = missed(batches, *batches.energy_totals()), there = missed(*joint, books.totals());
    std::printf("h = %g: books miss %.1e of the kinetic energy, the general ones %.1e\n", h, here, there);
    EXPECT_LT(here, std::min(1e-3, there));
  }
}

// Over a step of h a dashpot takes βk(L⁺ − L)²/h and the air c(|Δx|²/h − w·Δx): known from positions alone.
TEST(FibreStepper, BooksAreWhatPositionsSay) {
  const Extras extras;
  const FibreScene scene = fibre_scene(5, extras);
  const ParticleSystem& system = *scene.system;
  const State start = system.initial_state();
  std::vector<double> meetings;
  constexpr double h = 1.3e-4;
  for (int k = 1; k <= 40; ++k) meetings.push_back(k * h);
  FibreStepper stepper(system, fibres_of(scene), start, {.duration = 40 * h, .step = h}, meetings,
                       {.newton_tolerance = 1e-11});
  const auto all_positions = [&](const State& state) {
    std::vector<double> x(3 * system.particles()), v(x.size());
    std::ranges::copy(system.start_positions(), x.begin());
    system.place(state.time, state.x(), state.v(), x, v);
    return x;
  };
  const auto& springs = dynamic_cast<const Springs&>(*system.forces()[0]).springs();
  const auto length = [](const Spring& s, const std::vector<double>& x) {
    return (Eigen::Vector3d::Map(x.data() + 3 * s.second) - Eigen::Vector3d::Map(x.data() + 3 * s.first))
        .norm();
  };
  double dashpots = 0, air = 0;
  for (std::vector<double> before = all_positions(start); !stepper.done();) {
    stepper.advance();
    const std::vector<double> now = all_positions(stepper.state());
    for (const Spring& s : springs)
      dashpots += s.damping * std::pow(length(s, now) - length(s, before), 2) / h;
    for (std::size_t i = 0; i < 3 * system.free_particles(); ++i) {
      const double move = now[i] - before[i], wind = Eigen::Vector3d(0.7, -0.2, 0.4)[static_cast<int>(i % 3)];
      air += extras.drag * (move * move / h - wind * move);
    }
    before = now;
  }
  const EnergyTotals books = *stepper.energy_totals();
  ASSERT_EQ(books.dissipated.size(), 2u);
  EXPECT_NEAR(books.dissipated[0], dashpots, 1e-6 * dashpots);
  EXPECT_NEAR(books.dissipated[1], air, 1e-6 * std::abs(air));
}

TEST(FibreStepper, GoesOnFromACheckpointBitForBit) {
  const FibreScene scene = fibre_scene(19);
  const State start = scene.system->initial_state();
  for (const double tolerance : {0.0, 1e-2}) {
    SimulationOptions options{.duration = 0.0311, .step = 0.0017, .tolerance = tolerance};
    const std::vector<double> meetings = {0.0051, 0.0136, 0.0204, 0.0311};
    std::optional<Checkpoint> saved;
    options.checkpoint_every = 0.013;
    options.checkpoint = [&](const Checkpoint& now) {
      if (!saved) saved = now;
    };
    FibreStepper whole(*scene.system, fibres_of(scene), start, options.plan(), meetings);
    const SimulationSummary all = simulate(whole, start, options);
    ASSERT_TRUE(saved);
    EXPECT_EQ(saved->state.time, 0.0136);
    options.resume = &*saved;
    FibreStepper rest(*scene.system, fibres_of(scene), start, options.plan(), meetings, {}, &*saved);
    const SimulationSummary resumed = simulate(rest, start, options);
    EXPECT_EQ(to_host(rest.state().y), to_host(whole.state().y));
    EXPECT_EQ(resumed.steps, all.steps);
    EXPECT_EQ(resumed.energy_totals->supports, all.energy_totals->supports);
    EXPECT_EQ(resumed.energy_totals->dissipated, all.energy_totals->dissipated);

    const auto refuses = [&](const auto& damage) {
      Checkpoint damaged = *saved;
      damage(damaged);
      EXPECT_THROW(
          FibreStepper(*scene.system, fibres_of(scene), start, options.plan(), meetings, {}, &damaged),
          DamagedMemory);
    };
    refuses([](Checkpoint& c) { c.stepper.method.numbers.pop_back(); });
    refuses([](Checkpoint& c) { c.stepper.method.numbers[3] += 1; });
    refuses([](Checkpoint& c) { c.stepper.method.vectors.clear(); });
    refuses([](Checkpoint& c) { c.stepper.method.vectors[0].data()[40] = NAN; });
    refuses([](Checkpoint& c) { c.state.y.data()[7] += 1e-9; });
    refuses([](Checkpoint& c) { c.state.time = 0.0051; });
  }
}

// Samples within a step are on the straight line between its ends.
TEST(FibreStepper, StatesWithinAreOnTheWay) {
  const FibreScene scene = fibre_scene(3);
  const State start = scene.system->initial_state();
  FibreStepper stepper(*scene.system, fibres_of(scene), start, {.duration = 0.003, .step = 1e-4},
                       {0.0010, 0.0011, 0.003});
  stepper.advance();
  const State before = stepper.state();
  stepper.advance();
  const double times[] = {0.001025};
  const State there = stepper.within(times)[0];
  EXPECT_EQ(there.time, times[0]);
  for (std::size_t i = 0; i < there.unknowns(); ++i) {
    const double a = before.x().data()[i], b = stepper.state().x().data()[i];
    EXPECT_NEAR(there.x().data()[i], a + 0.25 * (b - a), 1e-9 * std::abs(b - a) + 1e-16);
    EXPECT_NEAR(there.v().data()[i], (b - a) / 1e-4, 1e-9 * std::abs(b - a) / 1e-4 + 1e-9);
  }
}

TEST(SystemFibres, SaysWhyNot) {
  const auto reason = [](const Extras& extras, const auto& change) {
    FibreScene scene = fibre_scene(4, extras);
    change(scene);
    std::string why;
    EXPECT_FALSE(SystemFibres::find(*scene.system, scene.strands, why).has_value());
    return why;
  };
  const auto nothing = [](FibreScene&) {};
  EXPECT_EQ(reason({}, [](FibreScene& s) { s.strands.pop_back(); }), "not all that moves is fibres");
  EXPECT_EQ(reason({}, [](FibreScene& s) { --s.strands[1].first_particle; }),
            "fibre 1 is not held at its root alone");
  EXPECT_EQ(
      reason({.add =
                  [](ParticleSystem& system) {
                    system.add(std::make_unique<ForceField>([](double t) { return Eigen::Vector3d(t, 0, 0); },
                                                            std::vector<double>(system.particles(), 1.0)));
                  }},
             nothing),
      "a field changes in time");
  EXPECT_EQ(reason({.add =
                        [](ParticleSystem& system) {
                          system.add(std::make_unique<AirDrag>(std::vector<double>(system.particles(), 1e-9),
                                                               Eigen::Vector3d::Zero()));
                        }},
                   nothing),
            "two kinds of drag act on fibre 0");
  EXPECT_EQ(
      reason({.add =
                  [](ParticleSystem& system) {
                    system.add(std::make_unique<Springs>(
                        std::vector<Spring>{{.first = 5, .second = 9, .stiffness = 1, .rest_length = 1}},
                        system.particles()));
                  }},
             nothing),
      "there are several kinds of springs");
  EXPECT_EQ(reason({.moving = false},
                   [](FibreScene& s) {
                     const int one[] = {s.strands[2].first_particle};
                     s.system->prescribe(one, std::make_shared<Shake>(Eigen::Vector3d(1, 0, 0), 0.01, 0, 1));
                   }),
            "only a part of the root of fibre 2 moves");
}

}  // namespace
}  // namespace stiffly::test
