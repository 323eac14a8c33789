// Hair in layers.
#include "stiffly/fibres/layers.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stiffly/contact/near_pairs.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/hanging.hpp"

namespace stiffly::test {
namespace {

using Eigen::Vector3d;

constexpr double thickness = 9e-5;
constexpr Taper taper{thickness, 4e-5};

/// As in the scene: 0.2 m ± 20 %, of 6 to 10 segments.
std::vector<LayeredHair> head_of_hair(int count) {
  std::mt19937 random(1);
  std::vector<LayeredHair> out;
  for (const Vector3d& direction : scalp(count)) {
    const double share = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    out.push_back({direction, 0.2 * (0.8 + 0.4 * share), 0.16, 6 + static_cast<int>(out.size() % 5)});
  }
  return out;
}

/// Segments of different hairs that are nearer than the thickness and a twentieth.
int overlaps(std::span<const CentreLine> lines) {
  constexpr double margin = 0.05 * thickness;
  std::vector<double> x;
  std::vector<ThickElement> segments;
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t k = 0; k < lines[i].points.size(); ++k) {
      const int node = static_cast<int>(x.size()) / 3;
      x.insert(x.end(), lines[i].points[k].begin(), lines[i].points[k].end());
      if (k == 0) continue;
      segments.push_back({{node - 1, node, -1}, thickness / 2});
      owner.push_back(i);
    }
  NearPairs near(std::move(segments));
  int out = 0;
  for (const auto& [i, j] : near.find(x, margin))
    out += owner[static_cast<std::size_t>(i)] != owner[static_cast<std::size_t>(j)];
  return out;
}

void expect_as_asked(std::span<const CentreLine> lines, std::span<const LayeredHair> hairs) {
  const Head head;
  ASSERT_EQ(lines.size(), hairs.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<Vector3d>& p = lines[i].points;
    ASSERT_EQ(p.size(), static_cast<std::size_t>(hairs[i].segments) + 1) << i;
    EXPECT_NEAR((p[0] - head.point(hairs[i].direction)).norm(), 0, 1e-15) << i;
    double length = 0;
    for (std::size_t k = 1; k < p.size(); ++k) {
      length += (p[k] - p[k - 1]).norm();
      constexpr int samples = 10;
      for (int s = 1; s <= samples; ++s) {
        const double height = head.height(p[k - 1] + s * (p[k] - p[k - 1]) / samples);
        EXPECT_GT(height, k == 1 ? 0 : thickness / 2) << i;
      }
    }
    EXPECT_GE(length, hairs[i].least_length - 1e-12) << i;
    const double longest = std::max(hairs[i].length, 1.05 * hairs[i].least_length);
    EXPECT_LE(length, longest + 1e-12) << i;
    EXPECT_DOUBLE_EQ(lines[i].thickness.front(), taper.root);
    EXPECT_NEAR(lines[i].thickness.back(), taper.tip, 1e-12);
  }
}

double nearest(const CentreLine& a, const CentreLine& b) {
  double out = 1;
  for (std::size_t i = 1; i < a.points.size(); ++i)
    for (std::size_t j = 1; j < b.points.size(); ++j) {
      Corners corners;
      corners << a.points[i - 1], a.points[i], b.points[j - 1], b.points[j];
      out = std::min(out, nearest_of_segments(corners).distance(corners));
    }
  return out;
}

TEST(Layers, AHundredHairsOneByOne) {
  const std::vector<LayeredHair> hairs = head_of_hair(100);
  const std::vector<CentreLine> lines = layered(Head(), hairs, taper);
  expect_as_asked(lines, hairs);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT(nearest(lines[i], lines[j]), thickness) << i << " " << j;
}

TEST(Layers, NoHairIsInAnother) {
  for (const int count : {1, 600, 6000}) {
    const std::vector<LayeredHair> hairs = head_of_hair(count);
    const std::vector<CentreLine> lines = layered(Head(), hairs, taper);
    expect_as_asked(lines, hairs);
    EXPECT_EQ(overlaps(lines), 0) << count;
  }
}

TEST(Layers, LongSixtyThousandHairs) {
  const std::vector<LayeredHair> hairs = head_of_hair(60000);
  const std::vector<CentreLine> lines = layered(Head(), hairs, taper);
  expect_as_asked(lines, hairs);
  EXPECT_EQ(overlaps(lines), 0);
  for (std::size_t i = 0; i < lines.size(); ++i) {  // as they do in the scene
    FibreShape shape = make_fibre(lines[i], {.young = 3.6e9, .torsion = 1e9, .density = 1320}, i);
    EXPECT_NO_THROW(hang_as_drawn(shape, {0, 0, -9.81}, i));
  }
}

TEST(Layers, AreTheSameInEveryRun) {
  const std::vector<LayeredHair> hairs = head_of_hair(300);
  const std::vector<CentreLine> a = layered(Head(), hairs, taper), b = layered(Head(), hairs, taper);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].points, b[i].points);
}

TEST(Layers, SayWhereThereIsNoPlace) {
  std::vector<LayeredHair> hairs = head_of_hair(6000);
  EXPECT_THROW(layered(Head(), hairs, {2e-3, 2e-3}), InputError) << "hair of 2 mm";
  for (LayeredHair& hair : hairs) hair.segments = 1;
  EXPECT_THROW(layered(Head(), hairs, taper), InputError) << "rods of 20 cm";
}

}  // namespace
}  // namespace stiffly::test
