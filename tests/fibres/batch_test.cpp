// Batches of fibres: forces, energies and tangents are those of systems of particles; what is refused.
#include "stiffly/fibres/batch.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "fibres/lane_array.hpp"
#include "fibres/random_fibres.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"

namespace stiffly::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The lower triangle of panels as a full matrix.
MatrixXd dense(const VectorXd& panels, int sections) {
  constexpr int size = batch::section_size;
  MatrixXd out = MatrixXd::Zero(size * sections, size * sections);
  for (int i = 0; i < size * sections; ++i)
    for (int j = std::max(0, i / size - 1) * size; j <= i; ++j)
      out(i, j) = out(j, i) = panels(i * 2 * size + j - (i / size - 1) * size);
  return out;
}

class Batch : public ::testing::TestWithParam<int> {};

TEST_P(Batch, ForcesEnergiesAndTangentsAreThoseOfParticles) {
  const BatchKernelTable& kernels = batch_kernels(GetParam());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const FibreKind kind : {FibreKind{}, FibreKind{.damping_time = 2.3e-4, .drag = 3.1}})
    for (std::size_t first = 0; first < 24; first += 8) {
      const auto fibres = random_fibres(first, static_cast<std::size_t>(kernels.lanes), kind);
      const FibreBatch batch(kernels, fibres, test_gravity);
      const int W = kernels.lanes, n = batch::section_size * batch.sections();
      LaneArray x(W, n + batch::section_size), v(W, n + batch::section_size), f(W, n), energy(W, 1),
          stiffness(W, batch.sections() * batch::panel_size);
      std::copy_n(batch.view().x, W * (n + batch::section_size), x.data());
      for (int lane = 0; lane < W; ++lane)  // stretched by percents, and moving
        for (int i = batch::section_size; i < n + batch::section_size; ++i) {
          x(i, lane) += 1e-5 * normal(random);
          v(i, lane) = 0.1 * normal(random);
        }
      kernels.evaluate(batch.view(), x.data(), v.data(), f.data(), energy.data(), stiffness.data());
      for (int lane = 0; lane < W; ++lane) {
        const auto system = particle_system(fibres[static_cast<std::size_t>(lane)]);
        const auto size = static_cast<Eigen::Index>(system->unknowns());
        const VectorXd positions = x.lane(lane).segment(batch::section_size, size),
                       velocities = v.lane(lane).segment(batch::section_size, size);
        const State state(0, {positions.data(), system->unknowns()}, {velocities.data(), system->unknowns()});
        Vector expected(system->unknowns());
        system->force(0, state.x(), state.v(), expected);
        const VectorXd reference = VectorXd::Map(host(expected).data(), size);
        EXPECT_LT((f.lane(lane).head(size) - reference).norm(), 1e-12 * reference.norm());
        EXPECT_NEAR(energy(0, lane), system->potential_energy(0, state.x()),
                    1e-12 * std::abs(energy(0, lane)));
        if (kind.damping_time > 0) continue;  // the system's tangent has its dashpots turn as well
        Tangent tangent;
        system->tangent(0, state.x(), state.v(), tangent);
        const MatrixXd K = tangent.stiffness.to_dense();
        const MatrixXd mine = dense(stiffness.lane(lane), batch.sections());
        EXPECT_LT((mine.topLeftCorner(size, size) - K).norm(), 1e-12 * K.norm());
        EXPECT_EQ(mine.bottomRows(n - size).norm(), 0);  // beyond the end of a shorter fibre
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Lanes, Batch, ::testing::ValuesIn(lane_counts()));

TEST(BatchTest, StatesAreSavedAndRestored) {
  const BatchKernelTable& kernels = batch_kernels(2);
  const auto fibres = random_fibres(5, 2, {.shaken = true});
  FibreBatch batch(kernels, fibres, test_gravity), other(kernels, fibres, test_gravity);
  batch.view().x[100] = 0.123;
  batch.view().v[17] = 0.456;
  batch.acceleration()[9] = 0.789;
  batch.past(2)[3] = 0.321;
  for (int lane = 0; lane < 2; ++lane) {
    EXPECT_NE(batch.save(lane), other.save(lane));
    other.restore(lane, batch.save(lane));
    EXPECT_EQ(batch.save(lane), other.save(lane));
    EXPECT_EQ(batch.positions(lane), other.positions(lane));
  }
  std::vector<double> damaged = batch.save(0);
  damaged[7] = std::nan("");
  EXPECT_THROW(other.restore(0, damaged), InputError);
  damaged = batch.save(0);
  damaged.pop_back();
  EXPECT_THROW(other.restore(0, damaged), InputError);
}

TEST(BatchTest, BadFibresAreRefusedByNumber) {
  const auto message = [](const auto& change) {
    MovingFibre fibre = random_fibre(42);
    change(fibre);
    try {
      const FibreBatch batch(batch_kernels(1), {&fibre, 1}, test_gravity);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {message([](MovingFibre&) {}), "accepted"},
      {message([](MovingFibre& f) { f.shape.segments = 0; }), "no segment"},
      {message([](MovingFibre& f) { f.shape.mass.pop_back(); }), "masses"},
      {message([](MovingFibre& f) { f.shape.mass[5] = 0; }), "mass must be positive"},
      {message([](MovingFibre& f) { f.velocity[20] = std::nan(""); }), "must be finite"},
      {message([](MovingFibre& f) { f.drag = {1.0}; }), "drag"},
      {message([](MovingFibre& f) {
         f.force = {1.0, 2.0};
       }),
       "forces"},
      {message([](MovingFibre& f) { f.drag.assign(f.shape.mass.size(), -1.0); }), "not negative"},
      {message([](MovingFibre& f) { f.shape.springs[7].law = SpringLaw::cubic; }), "linear"},
      {message([](MovingFibre& f) { f.shape.springs[7].damping = 0.1; }), "in proportion"},
      {message([](MovingFibre& f) { f.shape.springs[7].stiffness = -1; }), "stiffness"},
      {message([](MovingFibre& f) { f.shape.springs[9] = f.shape.springs[8]; }), "two springs"},
      {message([](MovingFibre& f) { f.shape.springs[7].second = 4000; }), "neighbouring"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    if (expected != "accepted") {
      EXPECT_TRUE(text.starts_with("fibre 42")) << text;
    }
  }
}

}  // namespace
}  // namespace stiffly::test
