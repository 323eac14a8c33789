// Overlapping boxes are those that comparing all with all finds.
#include "stiffly/contact/box_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "contact/bodies.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;
using Pairs = std::vector<std::pair<int, int>>;

std::vector<Box> random_boxes(std::mt19937& random, std::size_t count, const Vector3d& origin, double size) {
  std::uniform_int_distribution<int> kind(0, 5);
  std::vector<Box> out;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3d low = origin + test::random_point(random);
    Vector3d sides = test::random_point(random, size).cwiseAbs();
    const int k = kind(random);
    if (k == 0) sides.setZero();
    if (k == 1) sides[1] = 0;
    if (k == 2 && !out.empty())  // touches another
      out.emplace_back(out.back().max(), Vector3d(out.back().max() + sides));
    else
      out.emplace_back(low, Vector3d(low + sides));
  }
  return out;
}

Pairs brute_force(std::span<const Box> boxes) {
  Pairs out;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j)
      if (boxes[i].intersects(boxes[j])) out.emplace_back(static_cast<int>(i), static_cast<int>(j));
  return out;
}

/// Pairs that the tree finds, less those that single precision alone finds; these must be few and near.
Pairs exact_overlaps(const BoxTree& tree, std::span<const Box> boxes) {
  Pairs found = tree.overlaps();
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
  std::erase_if(found, [&](const auto& pair) {
    const Box &a = boxes[static_cast<std::size_t>(pair.first)],
              &b = boxes[static_cast<std::size_t>(pair.second)];
    if (a.intersects(b)) return false;
    EXPECT_LT(a.exteriorDistance(b), 2e-5);
    return true;
  });
  return found;
}

TEST(BoxTree, FindsAllPairsOfThousandRandomSets) {
  std::mt19937 random(23);
  std::uniform_int_distribution<std::size_t> count(0, 160);
  std::size_t pairs = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d origin = trial % 3 == 0 ? Vector3d(1e6, -1e6, 3e5) : Vector3d(0, 0, 0);
    const std::vector<Box> boxes = random_boxes(random, count(random), origin, trial % 7 == 0 ? 2.0 : 0.2);
    const Pairs expected = brute_force(boxes);
    ASSERT_EQ(exact_overlaps(BoxTree(boxes), boxes), expected) << "set " << trial;
    pairs += expected.size();
  }
  EXPECT_GT(pairs, 50000u);
}

TEST(BoxTree, RefittedFindsWhatABuiltOneFinds) {
  std::mt19937 random(29);
  std::vector<Box> boxes = random_boxes(random, 700, {0, 0, 0}, 0.1);
  BoxTree tree(boxes);
  EXPECT_EQ(tree.degradation(), 1);
  for (int step = 0; step < 5; ++step) {
    for (Box& box : boxes) box.translate(test::random_point(random, 0.4));
    tree.refit(boxes);
    EXPECT_EQ(exact_overlaps(tree, boxes), brute_force(boxes));
  }
  EXPECT_GT(tree.degradation(), 2);
  tree.build(boxes);
  EXPECT_EQ(tree.degradation(), 1);
}

TEST(BoxTree, RefittedWhereSomeHaveChangedFindsWhatABuiltOneFinds) {
  std::mt19937 random(67);
  std::vector<Box> boxes = random_boxes(random, 731, Vector3d(3, 0.7, -11), 0.11);
  BoxTree tree(boxes);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> changed;
    for (int i = round % 7; i < 731; i += 5 + 40 * (round % 3)) {
      changed.push_back(i);
      Box& box = boxes[static_cast<std::size_t>(i)];
      box.translate(test::random_point(random, 0.4));
    }
    tree.refit_some(changed, boxes);
    EXPECT_EQ(exact_overlaps(tree, boxes), brute_force(boxes)) << round;
  }
}

/// Where boxes go straight: apart where, along one axis, one is beyond the other at both ends.
bool meet_on_the_way(const Box& a, const Box& a_later, const Box& b, const Box& b_later) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto beyond = [&](const Box& low, const Box& high, const Box& low_later, const Box& high_later) {
      return low.max()[axis] < high.min()[axis] && low_later.max()[axis] < high_later.min()[axis];
    };
    if (beyond(a, b, a_later, b_later) || beyond(b, a, b_later, a_later)) return false;
  }
  return true;
}

std::vector<Box> moved(std::mt19937& random, std::span<const Box> boxes, const Vector3d& all, double each) {
  std::vector<Box> out;
  for (const Box& box : boxes) {
    const Vector3d low = box.min() + all + test::random_point(random, each);
    out.emplace_back(low, Vector3d(low + box.sizes() + test::random_point(random, each).cwiseAbs()));
  }
  return out;
}

/// Of all pairs, those of some boxes.
Pairs of_some(const Pairs& all, const std::vector<int>& some) {
  Pairs out;
  for (const auto& [i, j] : all)
    if (std::ranges::count(some, i) + std::ranges::count(some, j) > 0) out.emplace_back(i, j);
  return out;
}

TEST(BoxTree, FindsWhatMeetsOnItsWay) {
  std::mt19937 random(71);
  std::size_t met = 0, passed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Box> boxes = random_boxes(random, 150, {0.3, -7, 2}, 0.37);
    BoxTree tree;
    tree.build(boxes, moved(random, boxes, {0.03, 0.7, -0.11}, 0.13));
    boxes = moved(random, boxes, {0.01, 0, 0.02}, 0.01);
    std::vector<Box> later = moved(random, boxes, {0.03, 0.7, -0.11}, 0.13);
    tree.refit(boxes, later);
    if (trial % 2 == 1) {
      const std::vector<int> some = {0, 7, 21, 22, 149};
      for (const int i : some) later[static_cast<std::size_t>(i)].translate(test::random_point(random, 0.3));
      tree.refit_some(some, boxes, later);
    }
    const Pairs found = tree.overlaps();
    for (int i = 0; i < 150; ++i)
      for (int j = i + 1; j < 150; ++j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        const bool is_found = std::ranges::binary_search(found, std::pair(i, j));
        ASSERT_EQ(is_found, meet_on_the_way(boxes[a], later[a], boxes[b], later[b])) << i << ", " << j;
        met += is_found;
        for (int k = 0; k <= 10; ++k) {  // on the way itself
          const auto at = [&](std::size_t c) {
            const double t = k / 10.0;
            return Box((1 - t) * boxes[c].min() + t * later[c].min(),
                       (1 - t) * boxes[c].max() + t * later[c].max());
          };
          if (!at(a).intersects(at(b))) continue;
          ++passed;
          ASSERT_TRUE(is_found) << i << ", " << j;
        }
      }
    const std::vector<int> asked = {149, 5, 21, 22};
    EXPECT_EQ(tree.overlaps_of(asked, boxes, later), of_some(found, asked));
  }
  EXPECT_GT(met, 5000u);
  EXPECT_GT(passed, 5000u);
}

TEST(BoxTree, FindsNoMoreOfWhatMovesTogether) {
  std::mt19937 random(73);
  const std::vector<Box> boxes = random_boxes(random, 2000, {0, 0, 0}, 0.02);
  std::vector<Box> later = boxes;
  for (Box& box : later) box.translate(Vector3d(0.37, -0.61, 0.23));
  BoxTree tree;
  tree.build(boxes, later);
  const auto hardly_more = BoxTree(boxes).overlaps().size() + 20;  // rounding
  EXPECT_LE(tree.overlaps().size(), hardly_more);
}

TEST(BoxTree, GivesTheSameOnAnyNumberOfThreads) {
  std::mt19937 random(31);
  const std::vector<Box> boxes = random_boxes(random, 30000, {0, 0, 0}, 0.02);
  const int before = thread_count();
  set_thread_count(1);
  const Pairs alone = BoxTree(boxes).overlaps();
  set_thread_count(3);
  EXPECT_EQ(BoxTree(boxes).overlaps(), alone);
  set_thread_count(before);
  EXPECT_GT(alone.size(), 1000u);
}

TEST(BoxTree, TellsOwnersOfSeveralBoxesOnce) {
  std::mt19937 random(33);
  const std::vector<Box> boxes = random_boxes(random, 300, {0, 0, 0}, 0.3);
  std::vector<int> owners;
  for (int i = 0; i < 300; ++i) owners.push_back((7 * i) % 50);
  Pairs expected;
  for (const auto& [i, j] : BoxTree(boxes).overlaps()) {
    const int a = owners[static_cast<std::size_t>(i)], b = owners[static_cast<std::size_t>(j)];
    if (a != b) expected.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  EXPECT_EQ(BoxTree(boxes).overlaps(owners), expected);
}

TEST(BoxTree, AnswersForSomeBoxes) {
  std::mt19937 random(37);
  const std::vector<Box> boxes = random_boxes(random, 300, {0, 0, 0}, 0.3);
  const BoxTree tree(boxes);
  const Pairs all = tree.overlaps();
  for (int round = 0; round < 60; ++round) {
    std::vector<int> asked;
    for (int i = round % 11; i < 300; i += 1 + round % 7 * round) asked.push_back(i);
    EXPECT_EQ(tree.overlaps_of(asked, boxes, {}), of_some(all, asked)) << round;
  }
}

// Eleven boxes leave five places of the second leaf empty.
TEST(BoxTree, OfEndlessBoxesFindsNoneThatIsNotThere) {
  std::mt19937 random(23);
  std::vector<Box> boxes = random_boxes(random, 11, {0, 0, 0}, 0.3);
  BoxTree tree;
  tree.build(boxes);
  for (const double far : {1e39, 1e300, std::numeric_limits<double>::infinity()}) {
    std::vector<Box> asking = boxes;
    asking[3] = Box(Vector3d::Constant(-far), Vector3d::Constant(far));
    Pairs expected;  // all others
    for (int i = 0; i < 11; ++i)
      if (i != 3) expected.emplace_back(std::min(i, 3), std::max(i, 3));
    EXPECT_EQ(tree.overlaps_of(std::vector<int>{3}, asking, {}), expected) << far;
    boxes[3] = Box(Vector3d::Constant(-far), Vector3d::Constant(far));
    tree.refit(boxes);
    EXPECT_EQ(exact_overlaps(tree, boxes), brute_force(boxes)) << far;
  }
}

TEST(BoxTree, VisitsTheNearestBox) {
  std::mt19937 random(41);
  const std::vector<Box> boxes = random_boxes(random, 500, {0, 0, 0}, 0.05);
  const BoxTree tree(boxes);
  int visits = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3d x = test::random_point(random, 2);
    double least = std::numeric_limits<double>::infinity(), found = least;
    for (const Box& box : boxes) least = std::min(least, box.squaredExteriorDistance(x));
    tree.near(x, found, [&](int i, double bound) {
      ++visits;
      found = std::min(bound, boxes[static_cast<std::size_t>(i)].squaredExteriorDistance(x));
      return found;
    });
    EXPECT_EQ(found, least);
  }
  EXPECT_LT(visits, 200 * 60);
}

}  // namespace
}  // namespace stiffly
