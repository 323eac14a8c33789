// A rod that is pulled tight through itself: whether it has passed through itself is a matter of its knot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Core>
#include <Eigen/LU>

#include "stiffly/control/methods.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// The determinant of the knot of a closed line, seen along z: of the equations 2 over − under − under' of
/// its crossings, one of each left out. 1 of a line without a knot, 3 of a trefoil; it does not change unless
/// the line passes through itself. [Livingston, Knot Theory, 1993]
long knot_determinant(const std::vector<Vector3d>& line) {
  struct Crossing {
    double over, under;
  };
  std::vector<Crossing> crossings;
  const std::size_t n = line.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;
      const Vector3d a = line[i], c = line[j], d = line[(i + 1) % n] - a, e = line[(j + 1) % n] - c;
      const double area = d[0] * e[1] - d[1] * e[0];
      const double s = ((c - a)[0] * e[1] - (c - a)[1] * e[0]) / area;
      const double t = ((c - a)[0] * d[1] - (c - a)[1] * d[0]) / area;
      if (!(s >= 0 && s < 1 && t >= 0 && t < 1)) continue;
      const double here = static_cast<double>(i) + s, there = static_cast<double>(j) + t;
      crossings.push_back(a[2] + s * d[2] > c[2] + t * e[2] ? Crossing{here, there} : Crossing{there, here});
    }
  if (crossings.size() < 2) return 1;
  std::vector<double> under;  // arcs go from one to the next
  for (const Crossing& crossing : crossings) under.push_back(crossing.under);
  std::sort(under.begin(), under.end());
  const auto m = static_cast<Eigen::Index>(under.size());
  const auto arc = [&](double at) {
    return (std::lower_bound(under.begin(), under.end(), at) - under.begin()) % m;
  };
  Eigen::MatrixXd equations = Eigen::MatrixXd::Zero(m, m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Crossing& crossing = crossings[static_cast<std::size_t>(k)];
    equations(k, arc(crossing.over)) += 2;
    equations(k, arc(crossing.under)) -= 1;
    equations(k, (arc(crossing.under) + 1) % m) -= 1;
  }
  return std::lround(
      std::abs(Eigen::PartialPivLU<Eigen::MatrixXd>(equations.topLeftCorner(m - 1, m - 1)).determinant()));
}

/// Its centre line, turned, and closed far away.
std::vector<Vector3d> closed_line(const Scene& scene, const State& state, double turn) {
  const std::vector<Point> x = scene.positions(state);
  std::vector<Vector3d> line = {Vector3d::Zero()};
  for (std::size_t i = 0; i + 3 < x.size(); i += 4) {
    Vector3d middle = Vector3d::Zero();
    for (std::size_t k = 0; k < 4; ++k) middle += Vector3d::Map(x[i + k].data()) / 4;
    const double across = std::sin(turn) * middle[0] + std::cos(turn) * middle[1];
    line.emplace_back(std::cos(turn) * middle[0] - std::sin(turn) * middle[1] + 0.013 * middle[2],
                      0.31 * across + middle[2], across - 0.27 * middle[2]);
  }
  const Vector3d out = 10 * (line.back() - line[1]).normalized(), aside(out[1], -out[0], 5);
  line[0] = line[1] - out;
  line.push_back(line.back() + out);
  line.push_back(line.back() + aside);
  line.push_back(line[0] + aside);
  return line;
}

TEST(Knot, LongStaysAKnotWhileItIsPulledTight) {
  const Scene scene = load_scene(find_scene("knot"));
  const auto stepper = make_stepper(scene.simulation.integrator, scene.system(), scene.body.start,
                                    {.duration = 1, .tolerance = scene.simulation.tolerance});
  double next = 0;
  while (true) {
    if (stepper->state().time >= next) {
      for (const double turn : {0.1, 0.9, 2.6})
        ASSERT_EQ(knot_determinant(closed_line(scene, stepper->state(), turn)), 3) << stepper->state().time;
      next += 0.01;
    }
    if (stepper->done()) break;
    stepper->advance();
    ASSERT_EQ(scene.system().touch(stepper->state())->deepest, 0) << stepper->state().time;
  }
  // The same line without its contacts is pulled straight: the determinant notices.
  const Scene loose = load_scene(find_scene("knot"), std::vector<Override>{{"contact.between", "nothing"}});
  const auto through = make_stepper(loose.simulation.integrator, loose.system(), loose.body.start,
                                    {.duration = 1, .tolerance = loose.simulation.tolerance});
  while (!through->done()) through->advance();
  EXPECT_EQ(knot_determinant(closed_line(loose, through->state(), 0.9)), 1);
}

}  // namespace
}  // namespace stiffly
