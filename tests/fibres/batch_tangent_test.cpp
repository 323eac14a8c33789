// The derivative of forces in lanes against finite differences, and φ-functions of it against dense
// exponentials.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fibres/lane_array.hpp"
#include "fibres/random_fibres.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/fibres/batch_phi.hpp"
#include "stiffly/fibres/batch_workspace.hpp"
#include "stiffly/linalg/dense.hpp"

namespace stiffly::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A batch that is bent, stretched and moving, each lane in its own way.
struct MovingBatch {
  MovingBatch(int lanes, std::span<const MovingFibre> fibres)
      : batch(batch_kernels(lanes), fibres, test_gravity),
        workspace(lanes, batch.sections()),
        phi_workspace(lanes, batch.sections(), 12),
        view(workspace.view(batch)),
        n(batch::section_size * batch.sections()),
        x(lanes, n + batch::section_size),
        v(lanes, n + batch::section_size),
        f(lanes, n) {
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < n + batch::section_size; ++i) {
        x(i, lane) = view.x[i * lanes + lane] + 7e-4 * std::sin(1.3 * i + 0.7 * lane);
        v(i, lane) = 0.37 * std::cos(2.1 * i + 0.3 * lane);
      }
  }
  TangentView tangent() {
    return {phi_workspace.direction.data(), phi_workspace.across.data(), phi_workspace.turning.data(),
            phi_workspace.held.data()};
  }

  FibreBatch batch;
  BatchWorkspace workspace;
  PhiWorkspace phi_workspace;
  BatchView view;
  int n;
  LaneArray x, v, f;
};

std::vector<MovingFibre> fibres_for(int lanes, const FibreKind& kind, int most_segments) {
  std::vector<MovingFibre> out;
  for (std::size_t i = 800; static_cast<int>(out.size()) < lanes; ++i)
    if (MovingFibre fibre = random_fibre(i, kind); fibre.shape.segments <= most_segments)
      out.push_back(std::move(fibre));
  return out;
}

class TangentInLanes : public ::testing::TestWithParam<int> {};

// Of positions and velocities at once, in random directions.
TEST_P(TangentInLanes, IsTheDerivativeOfTheForce) {
  const int W = GetParam();
  for (const FibreKind& kind : {FibreKind{}, FibreKind{.damping_time = 1.3e-3, .drag = 2.7}}) {
    MovingBatch b(W, fibres_for(W, kind, 10));
    const BatchKernelTable& kernels = b.batch.kernels();
    kernels.linearize(b.view, b.x.data(), b.v.data(), b.f.data(), b.tangent());
    LaneArray f(W, b.n), before(W, b.n), after(W, b.n), energy(W, 1);
    kernels.evaluate(b.view, b.x.data(), b.v.data(), f.data(), energy.data(), b.view.panels);
    LaneArray dx(W, b.n), dv(W, b.n), elastic(W, b.n), force(W, b.n), metric(W, b.n), shift(W, 1);
    shift.fill(3.7e5);
    const double step = 1e-8;
    LaneArray x0 = b.x, x1 = b.x, v0 = b.v, v1 = b.v;
    for (int lane = 0; lane < W; ++lane) {
      EXPECT_LT((f.lane(lane) - b.f.lane(lane)).norm(), 1e-14 * f.lane(lane).norm());
      for (int i = 0; i < b.n; ++i) {
        dx(i, lane) = std::sin(0.9 * i * i + lane);
        dv(i, lane) = 311.3 * std::cos(0.7 * i * i - 0.3 * lane);
        const int k = i + batch::section_size;
        x0(k, lane) -= step * dx(i, lane), x1(k, lane) += step * dx(i, lane);
        v0(k, lane) -= step * dv(i, lane), v1(k, lane) += step * dv(i, lane);
      }
    }
    kernels.respond(b.view, b.tangent(), shift.data(), dx.data(), dv.data(), elastic.data(), force.data(),
                    metric.data());
    kernels.force(b.view, x0.data(), v0.data(), before.data());
    kernels.force(b.view, x1.data(), v1.data(), after.data());
    for (int lane = 0; lane < W; ++lane) {
      const VectorXd difference = (after.lane(lane) - before.lane(lane)) / (2 * step);
      EXPECT_LT((force.lane(lane) - difference).norm(), 1e-6 * difference.norm()) << kind.damping_time;
    }
    // Without velocities all of it is elastic.
    LaneArray none(W, b.n), alone(W, b.n);
    kernels.respond(b.view, b.tangent(), shift.data(), dx.data(), none.data(), alone.data(), force.data(),
                    metric.data());
    for (int lane = 0; lane < W; ++lane) {
      EXPECT_LT((force.lane(lane) - elastic.lane(lane)).norm(), 1e-12 * elastic.lane(lane).norm());
      EXPECT_GT(dx.lane(lane).dot(metric.lane(lane)), 0);
    }
  }
}

// M + sC + s²K, where nothing turns.
TEST_P(TangentInLanes, FactorsSolveTheShiftedMatrix) {
  const int W = GetParam();
  MovingBatch b(W, fibres_for(W, {.damping_time = 1.3e-3, .drag = 2.7}, 10));
  const BatchKernelTable& kernels = b.batch.kernels();
  b.v.fill(0);
  kernels.linearize(b.view, b.x.data(), b.v.data(), b.f.data(), b.tangent());
  LaneArray s(W, 1), failed(W, 1), right(W, b.n), y(W, b.n), sy(W, b.n), elastic(W, b.n), force(W, b.n),
      metric(W, b.n), zero(W, b.n), r(W, b.n), lack(W, b.n), square(W, 1);
  for (int lane = 0; lane < W; ++lane) {
    s(0, lane) = 1.7e-6 * (1 + lane);
    const int unknowns = batch::section_size * b.batch.segments(lane);
    for (int i = 0; i < unknowns; ++i) r(i, lane) = std::sin(1.9 * i + lane);
  }
  kernels.factor_shifted(b.view, b.tangent(), s.data(), failed.data());
  kernels.defect(b.view, s.data(), r.data(), zero.data(), zero.data(), y.data(), square.data());  // Mr
  kernels.solve(b.view.sections, b.view.panels, b.view.inverse_pivots, y.data());
  for (int lane = 0; lane < W; ++lane) {
    EXPECT_EQ(failed(0, lane), 0);
    double mass = 0;
    for (int i = 0; i < b.n; ++i) {
      sy(i, lane) = s(0, lane) * y(i, lane);
      mass += b.view.mass[i / 3 * W + lane] * r(i, lane) * r(i, lane);
    }
    EXPECT_NEAR(square(0, lane), mass, 1e-13 * mass);
  }
  kernels.respond(b.view, b.tangent(), zero.data(), sy.data(), y.data(), elastic.data(), force.data(),
                  metric.data());
  const LaneArray whole = square;
  kernels.defect(b.view, s.data(), r.data(), y.data(), force.data(), lack.data(), square.data());
  for (int lane = 0; lane < W; ++lane)
    EXPECT_LT(std::sqrt(square(0, lane)), 1e-9 * std::sqrt(LaneArray(whole)(0, lane)));
}

/// J of one lane with velocities in units of `speed`, column by column.
MatrixXd dense_jacobian(MovingBatch& b, const BatchPhi& phi, int lane, double speed) {
  const int n = batch::section_size * b.batch.segments(lane), W = b.batch.lanes();
  MatrixXd J = MatrixXd::Zero(2 * n, 2 * n);
  LaneArray y(W, 2 * b.n), force(W, b.n);
  for (int k = 0; k < 2 * n; ++k) {
    const int entry = k < n ? k : b.n + k - n;
    y.fill(0);
    y(entry, lane) = k < n ? 1 : speed;
    phi.respond(y.data(), force.data());
    for (int i = 0; i < n; ++i) {
      J(i, k) = y(b.n + i, lane);
      J(n + i, k) = force(i, lane) / b.view.mass[i / 3 * W + lane] / speed;
    }
  }
  return J;
}

// exp(c [[hJ, B], [0, N]]) applied to the border's start, a lane with nothing to do and one with less among
// them.
TEST_P(TangentInLanes, PhiFunctionsAreThoseOfTheDenseMatrix) {
  const int W = GetParam();
  const double h = 6.7e-5, speed = 2.3e5;
  const PhiNodes nodes = PhiNodes::of(std::vector<double>{1.0 / 3, 0.75, 1.0});
  EXPECT_EQ(nodes.parts, 12);
  for (const FibreKind& kind : {FibreKind{}, FibreKind{.damping_time = 3.1e-4, .drag = 2.7}})
    for (const double tolerance : {1e-3, 1e-7, 1e-10}) {
      MovingBatch b(W, fibres_for(W, kind, 3));
      BatchPhi phi(b.batch, b.view, b.phi_workspace);
      phi.linearize(b.x.data(), b.v.data(), h, b.f.data());
      LaneArray b1(W, 2 * b.n), b3(W, 2 * b.n), w0(W, 2 * b.n), w1(W, 2 * b.n), w2(W, 2 * b.n);
      for (int lane = 0; lane < W; ++lane)
        for (int i = 0; i < batch::section_size * b.batch.segments(lane); ++i) {
          if (lane == 2) continue;
          b1(i, lane) = 1.3e-5 * std::sin(1.7 * i + lane);
          b1(b.n + i, lane) = 0.9 * std::cos(0.3 * i * i + lane);
          if (lane != 1) b3(b.n + i, lane) = 3.1 * std::sin(0.7 * i * i + lane);
        }
      const double* const border[] = {b1.data(), nullptr, b3.data()};
      double* const out[] = {w0.data(), w1.data(), w2.data()};
      const std::vector<double> least(static_cast<std::size_t>(W), 0.0);
      phi.evaluate(border, nodes, tolerance, least, out);
      for (int lane = 0; lane < W; ++lane) {
        const int n = batch::section_size * b.batch.segments(lane);
        MatrixXd A = MatrixXd::Zero(2 * n + 3, 2 * n + 3);
        A.topLeftCorner(2 * n, 2 * n) = h * dense_jacobian(b, phi, lane, speed);
        for (int i = 0; i < n; ++i) {
          A(i, 2 * n + 2) = b1(i, lane);
          A(n + i, 2 * n + 2) = b1(b.n + i, lane) / speed;
          A(n + i, 2 * n) = b3(b.n + i, lane) / speed;
        }
        A(2 * n, 2 * n + 1) = A(2 * n + 1, 2 * n + 2) = 1;
        const MatrixXd part = exponential(A / nodes.parts);
        VectorXd expected = VectorXd::Unit(2 * n + 3, 2 * n + 2);
        for (int k = 1, node = 0; k <= nodes.parts; ++k) {
          expected = (part * expected).eval();
          if (k != nodes.at[static_cast<std::size_t>(node)]) continue;
          LaneArray w = node == 0 ? w0 : node == 1 ? w1 : w2;
          ++node;
          if (lane == 2) {
            EXPECT_EQ(w.lane(lane).norm(), 0);
            continue;
          }
          // Velocities are most of the energy; a rough vector's φ-functions are far smaller than it.
          VectorXd off(n), whole(n);
          for (int i = 0; i < n; ++i) {
            const double root_mass = std::sqrt(b.view.mass[i / 3 * W + lane]);
            whole(i) = root_mass * speed * expected(n + i);
            off(i) = root_mass * w(b.n + i, lane) - whole(i);
          }
          EXPECT_LT(off.norm(), std::max(tolerance, 1e-9) * 2 * whole.norm())
              << "lane " << lane << ", part " << k << ", tolerance " << tolerance;
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Lanes, TangentInLanes, ::testing::ValuesIn(lane_counts()));

}  // namespace
}  // namespace stiffly::test
