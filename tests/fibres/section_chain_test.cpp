// How cross-sections give way, against dense matrices of all springs; and that they are moved as told.
#include "stiffly/fibres/section_chain.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "fibres/random_fibres.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly::test {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double h = 1.3e-3, dashpot_time = 2.7e-4;

std::vector<MovingFibre> two_fibres(std::size_t number) {
  return {random_fibre(number, {.damping_time = dashpot_time}),
          random_fibre(number + 1, {.damping_time = dashpot_time})};
}

/// Rows are unknowns of free particles, columns those of rigid cross-sections: middles, then turns.
MatrixXd rigid_motions(const FibreShape& shape) {
  MatrixXd out = MatrixXd::Zero(12 * shape.segments, 6 * shape.segments);
  std::vector<double> x;
  for (const Vector3d& p : shape.position) x.insert(x.end(), p.begin(), p.end());
  const std::vector<Vector3d> middle = centre_line(x);
  for (int p = batch::corners; p < fibre::particles(shape.segments); ++p) {
    const int s = p / batch::corners - 1;
    const Vector3d arm =
        shape.position[static_cast<std::size_t>(p)] - middle[static_cast<std::size_t>(s) + 1];
    for (int d = 0; d < 3; ++d) {
      const int row = 3 * (p - batch::corners);
      out(row + d, 6 * s + d) = 1;
      out.block<3, 1>(row, 6 * s + 3 + d) = Vector3d::Unit(d).cross(arm);
    }
  }
  return out;
}

/// A of the free particles, spring by spring.
MatrixXd dense_measure(const FibreShape& shape) {
  const int n = 12 * (shape.segments + 1);
  MatrixXd A = MatrixXd::Zero(n, n);
  for (const Spring& s : shape.springs) {
    const Vector3d arrow = shape.position[static_cast<std::size_t>(s.second)] -
                           shape.position[static_cast<std::size_t>(s.first)];
    VectorXd longer = VectorXd::Zero(n);
    longer.segment<3>(3 * s.second) = arrow.normalized();
    longer.segment<3>(3 * s.first) = -arrow.normalized();
    A += h * (h + dashpot_time) * s.stiffness * longer * longer.transpose();
  }
  for (int i = 0; i < n; ++i) A(i, i) += shape.mass[static_cast<std::size_t>(i / 3)];
  return A.bottomRightCorner(n - 12, n - 12);
}

TEST(SectionChain, GivesWayAsAllSpringsDo) {
  for (std::size_t number = 0; number < 40; number += 2) {
    const std::vector<MovingFibre> fibres = two_fibres(number);
    const FibreBatch batch(batch_kernels(2), fibres, test_gravity);
    for (int lane = 0; lane < 2; ++lane) {
      const FibreShape& shape = fibres[static_cast<std::size_t>(lane)].shape;
      const MatrixXd T = rigid_motions(shape), A = T.transpose() * dense_measure(shape) * T;
      const SectionChain chain(batch, lane, h);
      std::vector<double> shares(static_cast<std::size_t>(shape.segments), 0.0);
      shares[static_cast<std::size_t>(shape.segments) / 2] = 0.37;
      shares.back() += 0.63;
      MatrixXd force = MatrixXd::Zero(6 * shape.segments, 3);
      for (int s = 0; s < shape.segments; ++s)
        force.block<3, 3>(6 * s, 0).diagonal().array() = shares[static_cast<std::size_t>(s)];
      const MatrixXd way = solve(A, force);
      const std::vector<Eigen::Matrix3d> ways = chain.ways(shares);
      double difference = 0;
      for (int s = 0; s < shape.segments; ++s)
        difference =
            std::max(difference,
                     (ways[static_cast<std::size_t>(s)] - way.block<3, 3>(6 * s, 0)).cwiseAbs().maxCoeff());
      EXPECT_LT(difference, 1e-8 * way.cwiseAbs().maxCoeff()) << number << ", lane " << lane;
      // What turns with the first column of it.
      std::vector<Vector3d> middles;
      for (int s = 0; s < shape.segments; ++s) middles.push_back(way.block<3, 1>(6 * s, 0));
      const std::vector<Vector3d> turns = chain.turns(middles);
      double most = 0;
      difference = 0;
      for (int s = 0; s < shape.segments; ++s) {
        const Vector3d turn = way.block<3, 1>(6 * s + 3, 0);
        most = std::max(most, turn.norm());
        difference = std::max(difference, (turns[static_cast<std::size_t>(s)] - turn).norm());
      }
      EXPECT_LT(difference, 1e-7 * most) << number << ", lane " << lane;
    }
  }
}

/// Elongations of all springs between cross-sections that move as rigid ones do.
VectorXd elongations(const FibreShape& shape, const SectionWay& way) {
  std::vector<double> x;
  for (const Vector3d& p : shape.position) x.insert(x.end(), p.begin(), p.end());
  const std::vector<Vector3d> middle = centre_line(x);
  const auto place = [&](int p) -> Vector3d {
    const Vector3d& at = shape.position[static_cast<std::size_t>(p)];
    if (p < batch::corners) return at;
    const auto s = static_cast<std::size_t>(p / batch::corners - 1);
    const Vector3d arm = at - middle[s + 1], turn = way.turn[s];
    return middle[s + 1] + way.middle[s] +
           (turn.isZero(0) ? arm : Vector3d(Eigen::AngleAxisd(turn.norm(), turn.normalized()) * arm));
  };
  VectorXd out = VectorXd::Zero(static_cast<Eigen::Index>(shape.springs.size()));
  for (std::size_t i = 0; i < shape.springs.size(); ++i) {
    const Spring& s = shape.springs[i];
    out[static_cast<Eigen::Index>(i)] =
        (place(s.second) - place(s.first)).norm() - (shape.position[static_cast<std::size_t>(s.second)] -
                                                     shape.position[static_cast<std::size_t>(s.first)])
                                                        .norm();
  }
  return out;
}

double energy_of(const FibreShape& shape, const VectorXd& longer) {
  double out = 0;
  for (std::size_t i = 0; i < shape.springs.size(); ++i)
    out += shape.springs[i].stiffness * std::pow(longer[static_cast<Eigen::Index>(i)], 2) / 2;
  return out;
}

// A tip pushed aside by an eighth of the fibre, in two passes: springs that are hard to stretch are not.
TEST(SectionChain, SettlesWhatTurnsFar) {
  int looked_at = 0;
  for (std::size_t number = 0; number < 30; ++number) {
    const std::vector<MovingFibre> fibres = {random_fibre(number)};
    const FibreShape& shape = fibres[0].shape;
    if (shape.segments < 4) continue;
    const FibreBatch batch(batch_kernels(1), fibres, test_gravity);
    const SectionChain chain(batch, 0, h);
    const auto sections = static_cast<std::size_t>(shape.segments);
    std::vector<double> shares(sections, 0.0);
    shares.back() = 1;
    const std::vector<Eigen::Matrix3d> ways = chain.ways(shares);
    const Vector3d aside = (shape.position[8] - shape.position[4]).unitOrthogonal();
    const Vector3d push = 0.06 * 0.02 * shape.segments / aside.dot(ways.back() * aside) * aside;
    SectionWay plain{std::vector<Vector3d>(sections, Vector3d::Zero()),
                     std::vector<Vector3d>(sections, Vector3d::Zero())},
        settled = plain;
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<Vector3d> step;
      for (const Eigen::Matrix3d& way : ways) step.push_back(way * push);
      const std::vector<Vector3d> turns = chain.turns(step);
      const SectionWay before = settled;
      for (std::size_t s = 0; s < sections; ++s) {
        for (SectionWay* way : {&plain, &settled}) {
          way->middle[s] += step[s];
          way->turn[s] += turns[s];
        }
      }
      chain.settle(before, settled);
    }
    const double without = energy_of(shape, elongations(shape, plain)),
                 with = energy_of(shape, elongations(shape, settled));
    EXPECT_LT(with, 0.1 * without) << number;
    // It has hardly been taken back.
    EXPECT_GT(aside.dot(settled.middle.back()), 0.7 * aside.dot(plain.middle.back())) << number;
    ++looked_at;
  }
  EXPECT_GT(looked_at, 10);
}

// Pushed by millimetres to many lengths of the fibre, in all directions: K is of no use there, and Newton's
// method may go anywhere.
TEST(SectionChain, SettlesNothingByGoingAstray) {
  for (std::size_t trial = 0; trial < 90; ++trial) {
    const std::size_t number = trial / 3;
    const double size = std::array{0.0107, 0.031, 0.29}[trial % 3];
    const std::vector<MovingFibre> fibres = {random_fibre(number)};
    const FibreBatch batch(batch_kernels(1), fibres, test_gravity);
    const SectionChain chain(batch, 0, h);
    const std::size_t sections = chain.sections();
    std::mt19937 random(static_cast<unsigned>(trial));
    std::normal_distribution<double> normal;
    const SectionWay from{std::vector<Vector3d>(sections, Vector3d::Zero()),
                          std::vector<Vector3d>(sections, Vector3d::Zero())};
    SectionWay plain = from;
    double farthest = 0;
    for (std::size_t s = 0; s < sections; ++s)
      for (Vector3d* way : {&plain.middle[s], &plain.turn[s]}) {
        *way = size * Vector3d(normal(random), normal(random), normal(random));
        farthest = std::max(farthest, way->norm());
      }
    SectionWay settled = plain;
    chain.settle(from, settled);
    for (std::size_t s = 0; s < sections; ++s)
      EXPECT_LT((settled.middle[s] - plain.middle[s]).norm(), 2 * farthest) << trial;
  }
}

TEST(SectionChain, LeavesWhatTurnsLittleAsItIs) {
  const std::vector<MovingFibre> fibres = {random_fibre(3)};
  const FibreBatch batch(batch_kernels(1), fibres, test_gravity);
  const SectionChain chain(batch, 0, h);
  const SectionWay before{std::vector<Vector3d>(chain.sections(), Vector3d::Zero()),
                          std::vector<Vector3d>(chain.sections(), Vector3d::Zero())};
  SectionWay after{std::vector<Vector3d>(chain.sections(), Vector3d(1e-5, 2e-5, 0)),
                   std::vector<Vector3d>(chain.sections(), Vector3d(3e-4, 0, 1e-4))};
  const SectionWay same = after;
  chain.settle(before, after);
  for (std::size_t s = 0; s < chain.sections(); ++s) EXPECT_EQ(after.middle[s], same.middle[s]);
}

// What is moved and spun as rigid cross-sections has the energy that it is told to have.
TEST(SectionChain, MovesABatchAsTold) {
  const std::vector<MovingFibre> fibres = two_fibres(6);
  FibreBatch batch(batch_kernels(2), fibres, test_gravity);
  const SectionChain chain(batch, 1, h);
  SectionWay way, faster;
  for (std::size_t s = 0; s < chain.sections(); ++s) {
    const double k = static_cast<double>(s);
    way.middle.emplace_back(1e-3 * std::sin(k), 7e-4 * std::cos(2 * k), 3e-4);
    way.turn.emplace_back(0.03 * std::cos(k), -0.07, 0.011 * k);
    faster.middle.emplace_back(0.3, -0.2 * k, 0.1);
    faster.turn.emplace_back(1.3, -2.1, 0.7 * k);
  }
  const std::vector<double> x = batch.positions(1), v = batch.velocities(1), other = batch.positions(0);
  const std::vector<Vector3d> line = centre_line(x);
  batch.displace(1, 0, way, faster);
  const std::vector<double> moved = batch.positions(1), fast = batch.velocities(1);
  EXPECT_EQ(batch.positions(0), other);
  for (std::size_t s = 0; s < chain.sections(); ++s)
    for (std::size_t c = 0; c < batch::corners; ++c) {
      const std::size_t p = batch::corners * (s + 1) + c, free = p - batch::corners;
      const Vector3d arm = Vector3d::Map(x.data() + 3 * p) - line[s + 1], turn = way.turn[s];
      const Vector3d there =
          line[s + 1] + way.middle[s] + Eigen::AngleAxisd(turn.norm(), turn.normalized()) * arm;
      EXPECT_LT((Vector3d::Map(moved.data() + 3 * p) - there).norm(), 1e-15);
      const Vector3d change = Vector3d::Map(fast.data() + 3 * free) - Vector3d::Map(v.data() + 3 * free);
      EXPECT_LT((change - faster.middle[s] - faster.turn[s].cross(arm)).norm(), 1e-14);
    }
}

}  // namespace
}  // namespace stiffly::test
