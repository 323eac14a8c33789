// Signed distances. A function that is zero exactly on the surface, has the right sign, changes by no more
// than one moves, and of which x − φ∇φ is on the surface, is the distance.
#include "stiffly/contact/solid_shape.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "contact/bodies.hpp"
#include "stiffly/contact/closed_surface.hpp"
#include "stiffly/contact/ellipsoid.hpp"
#include "stiffly/error.hpp"
#include "stiffly/mesh/winding_number.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct ShapeCase {
  std::string name;
  std::shared_ptr<const SolidShape> shape;
  std::function<bool(const Vector3d&)> inside;
};

const Vector3d shape_centre(0.13, -0.27, 0.41);

double from_segment(const Vector3d& x, const Vector3d& a, const Vector3d& b) {
  double least = 1e300;  // golden section on a convex function
  double low = 0, high = 1;
  for (int i = 0; i < 80; ++i) {
    const double s = low + 0.382 * (high - low), t = low + 0.618 * (high - low);
    const double ds = (a + s * (b - a) - x).norm(), dt = (a + t * (b - a) - x).norm();
    (ds < dt ? high : low) = ds < dt ? t : s;
    least = std::min({least, ds, dt});
  }
  return least;
}

const std::vector<ShapeCase>& shapes() {
  static const std::vector<ShapeCase> all = [] {
    std::vector<ShapeCase> out;
    const Vector3d normal(0.3, -1.1, 2.3), other(-0.62, 0.55, 0.97), half(0.31, 0.87, 0.53);
    out.push_back({"half_space", half_space(shape_centre, normal),
                   [=](const Vector3d& x) { return normal.dot(x - shape_centre) < 0; }});
    out.push_back({"ball", ball(shape_centre, 0.73),
                   [](const Vector3d& x) { return (x - shape_centre).norm() < 0.73; }});
    out.push_back({"capsule", capsule(shape_centre, other, 0.37),
                   [=](const Vector3d& x) { return from_segment(x, shape_centre, other) < 0.37; }});
    const auto in_box = [=](const Vector3d& x) {
      return ((x - shape_centre).cwiseAbs().array() < half.array()).all();
    };
    out.push_back({"box", cuboid(shape_centre, half), in_box});
    out.push_back(
        {"hollow_box", hollow(cuboid(shape_centre, half)), [=](const Vector3d& x) { return !in_box(x); }});
    out.push_back({"ellipsoid", ellipsoid(shape_centre, half),
                   [=](const Vector3d& x) { return (x - shape_centre).cwiseQuotient(half).norm() < 1; }});
    const test::Surface bumpy = test::bumpy(3);
    const auto winding = std::make_shared<mesh::WindingNumber>(bumpy.points, bumpy.triangles);
    out.push_back({"surface", std::make_shared<ClosedSurface>(bumpy.points, bumpy.triangles),
                   [=](const Vector3d& x) { return (*winding)(x) > 0.5; }});
    const test::Surface spiky = test::star_shape(
        2, [](const Vector3d& x) { return 1 + 0.8 * std::sin(37 * x[0]) * std::sin(41 * x[1] + 53 * x[2]); });
    const auto spikes = std::make_shared<mesh::WindingNumber>(spiky.points, spiky.triangles);
    out.push_back({"spiky_surface", std::make_shared<ClosedSurface>(spiky.points, spiky.triangles),
                   [=](const Vector3d& x) { return (*spikes)(x) > 0.5; }});
    return out;
  }();
  return all;
}

class Shapes : public testing::TestWithParam<std::size_t> {
 protected:
  const ShapeCase& shape_case() const { return shapes()[GetParam()]; }
  double value(const Vector3d& x) const { return shape_case().shape->distance(x).value; }
};

TEST_P(Shapes, DistanceIsTheOneToTheSurface) {
  std::mt19937 random(7);
  int inside = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3d x = shape_centre + test::random_point(random, trial % 2 == 0 ? 0.5 : 1.5);
    const Distance d = shape_case().shape->distance(x);
    ASSERT_EQ(shape_case().inside(x), d.value < 0) << x.transpose();
    inside += d.value < 0;
    EXPECT_NEAR(d.gradient.norm(), 1, 1e-14);
    EXPECT_NEAR(value(x - d.value * d.gradient), 0, 1e-14);
    const Vector3d y = x + test::random_point(random, 0.2);
    EXPECT_LE(std::abs(value(y) - d.value), (y - x).norm() * (1 + 1e-14));
  }
  EXPECT_GT(inside, 100);
  EXPECT_LT(inside, 1900);
}

TEST_P(Shapes, DerivativesAreThoseOfTheDistance) {
  std::mt19937 random(11);
  int compared = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Vector3d x = shape_centre + test::random_point(random, 0.8);
    const Distance d = shape_case().shape->distance(x);
    const double delta = 1e-5;
    Vector3d gradient;
    Matrix3d hessian;
    bool smooth = true;  // where the nearest point jumps, or a face meets an edge, there are no derivatives
    for (Eigen::Index i = 0; i < 3; ++i) {
      const Distance up = shape_case().shape->distance(x + delta * Vector3d::Unit(i));
      const Distance down = shape_case().shape->distance(x - delta * Vector3d::Unit(i));
      gradient[i] = (up.value - down.value) / (2 * delta);
      hessian.col(i) = (up.gradient - down.gradient) / (2 * delta);
      smooth = smooth && (up.hessian - d.hessian).norm() + (down.hessian - d.hessian).norm() <
                             1e-3 * (1 + d.hessian.norm()) / std::min(1.0, std::abs(d.value));
      smooth = smooth && (up.gradient - down.gradient).norm() < 0.01;
    }
    if (!smooth) continue;
    ++compared;
    EXPECT_LT((gradient - d.gradient).norm(), 1e-7 * (1 + d.hessian.norm())) << x.transpose();
    EXPECT_LT((hessian - d.hessian).norm(), 1e-6 * (1 + std::pow(d.hessian.norm(), 3))) << x.transpose();
  }
  EXPECT_GT(compared, 400);
}

TEST_P(Shapes, SayNothingBeyondTheReach) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 500; ++trial) {
    const Vector3d x = shape_centre + test::random_point(random);
    const double reach = test::random_point(random, 0.4)[0];
    const Distance all = shape_case().shape->distance(x);
    const std::optional<Distance> near = shape_case().shape->within(reach, x);
    ASSERT_EQ(near.has_value(), all.value < reach);
    if (!near) continue;
    EXPECT_EQ(near->value, all.value);
    EXPECT_EQ(near->gradient, all.gradient);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Shapes, testing::Range(std::size_t{0}, shapes().size()),
                         [](const auto& index) { return shapes()[index.param].name; });

TEST(ShapePlaces, WithoutDerivativesGiveFiniteUnitGradients) {
  const auto check = [](const SolidShape& shape, const Vector3d& x, double value) {
    const Distance d = shape.distance(x);
    EXPECT_DOUBLE_EQ(d.value, value);
    EXPECT_NEAR(d.gradient.norm(), 1, 1e-15);
    EXPECT_TRUE(d.hessian.allFinite());
  };
  check(*ball({0, 0, 0}, 0.3), {0, 0, 0}, -0.3);
  check(*capsule({0, 0, 0}, {0, 0, 1}, 0.3), {0, 0, 0.4}, -0.3);
  check(*capsule({1, 1, 1}, {1, 1, 1}, 0.3), {1, 1, 1}, -0.3);
  check(*cuboid({0, 0, 0}, {1, 2, 3}), {0, 0, 0}, -1);
  check(*cuboid({0, 0, 0}, {1, 2, 3}), {1, 2, 3}, 0);
  const test::Surface box = test::cuboid_surface({1, 2, 3});
  const ClosedSurface surface(box.points, box.triangles);
  check(surface, {1, 2, 3}, 0);
  check(surface, {1, 2, 0.5}, 0);
  check(surface, {0, 0, 0}, -1);
}

// Corners, edges and faces, from outside and inside: the cuboid is its own oracle.
TEST(ClosedSurface, OfACuboidIsTheCuboid) {
  const Vector3d half(0.31, 0.87, 0.53);
  const test::Surface box = test::cuboid_surface(half);
  const ClosedSurface surface(box.points, box.triangles);
  const auto exact = cuboid({0, 0, 0}, half);
  std::mt19937 random(17);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3d x = test::random_point(random, 0.7);
    const Distance d = surface.distance(x), e = exact->distance(x);
    EXPECT_NEAR(d.value, e.value, 1e-15);
    EXPECT_LT((d.gradient - e.gradient).norm(), 1e-13);
    EXPECT_LT((d.hessian - e.hessian).norm(), 1e-12 * (1 + e.hessian.norm()));
  }
}

TEST(ClosedSurface, FindsTheNearestTriangleFarFromTheOrigin) {
  const Vector3d far(1e6, -1e6, 1e6);
  test::Surface bumpy = test::bumpy(2);
  const ClosedSurface here(bumpy.points, bumpy.triangles);
  for (Vector3d& x : bumpy.points) x += far;
  const ClosedSurface there(bumpy.points, bumpy.triangles);
  std::mt19937 random(19);
  for (int trial = 0; trial < 500; ++trial) {
    const Vector3d x = test::random_point(random);
    EXPECT_NEAR(there.distance(x + far).value, here.distance(x).value, 1e-9);
  }
}

template <class Make>
void expect_refusal(const Make& make, const std::string& words) {
  try {
    make();
    ADD_FAILURE() << "should say: " << words;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(ClosedSurface, RefusesWhatHasNoInside) {
  const test::Surface good = test::bumpy(1);
  const auto with = [&](const auto& change) {
    test::Surface s = good;
    change(s);
    ClosedSurface(s.points, s.triangles);
  };
  expect_refusal([&] { with([](test::Surface& s) { s.triangles.pop_back(); }); }, "belongs to one triangle");
  expect_refusal([&] { with([](test::Surface& s) { std::swap(s.triangles[3][0], s.triangles[3][1]); }); },
                 "twice in the same direction");
  expect_refusal(
      [&] {
        with([](test::Surface& s) {
          for (Triangle& t : s.triangles) std::swap(t[0], t[1]);
        });
      },
      "inside out");
  expect_refusal([&] { with([](test::Surface& s) { s.points[2][1] = NAN; }); }, "point 2");
  expect_refusal([&] { with([](test::Surface& s) { s.triangles[5][1] = 1000; }); }, "triangle 5");
  expect_refusal(
      [&] {
        with([](test::Surface& s) {
          const auto [a, b, c] = s.triangles[4];
          s.points[static_cast<std::size_t>(a)] =
              (s.points[static_cast<std::size_t>(b)] + s.points[static_cast<std::size_t>(c)]) / 2;
        });
      },
      "triangle 4 of the surface has no area");
  expect_refusal([] { ClosedSurface({}, {}); }, "no triangles");
}

TEST(ShapeInput, IsChecked) {
  expect_refusal([] { half_space({0, 0, 0}, {0, 0, 0}); }, "zero");
  expect_refusal([] { half_space({0, NAN, 0}, {0, 0, 1}); }, "finite");
  expect_refusal([] { ball({0, 0, 0}, 0); }, "positive");
  expect_refusal([] { capsule({0, 0, 0}, {0, INFINITY, 0}, 1); }, "finite");
  expect_refusal([] { cuboid({0, 0, 0}, {1, -1, 1}); }, "side of a box");
}

}  // namespace
}  // namespace stiffly
