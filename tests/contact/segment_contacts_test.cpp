// Rods that meet within a step, put apart: none deeper than it may be, none through another, momentum kept.
#include "stiffly/contact/segment_contacts.hpp"

#include <gtest/gtest.h>

#include "contact/bodies.hpp"
#include "crossings.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

struct Rods {
  std::vector<ThickElement> segments;
  std::vector<int> body;
  std::vector<double> x, v, inverse_mass;

  int node(const Vector3d& place, const Vector3d& velocity, double mass, int of_body) {
    x.insert(x.end(), place.begin(), place.end());
    v.insert(v.end(), velocity.begin(), velocity.end());
    inverse_mass.push_back(mass > 0 ? 1 / mass : 0);
    body.push_back(of_body);
    return static_cast<int>(body.size()) - 1;
  }
  Vector3d at(int i) const { return Vector3d::Map(x.data() + 3 * i); }
};

/// Polylines of `links` segments that are apart, flying about.
Rods rods(std::size_t count, int links, double radius, double speed, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> mass(0.2, 3);
  Rods out;
  for (int b = 0; static_cast<std::size_t>(b) < count;) {
    Rods more = out;
    const Vector3d velocity = test::random_point(random, speed);
    int before = more.node(test::random_point(random, 0.11), velocity, mass(random), b);
    for (int l = 0; l < links; ++l) {
      const int next = more.node(more.at(before) + test::random_point(random, 0.07),
                                 velocity + test::random_point(random, 0.3 * speed), mass(random), b);
      more.segments.push_back({{before, next, -1}, radius});
      before = next;
    }
    NearPairs all(more.segments);
    if (test::passage(all, more.body, more.x, more.x).deepest > 0) continue;
    out = std::move(more);
    ++b;
  }
  return out;
}

struct Outcome {
  ProjectionReport report;
  std::vector<double> x, v;
};

Outcome step(const Rods& r, double h, const ProjectionLaw& law) {
  Outcome out{{}, r.x, r.v};
  for (std::size_t i = 0; i < out.x.size(); ++i) out.x[i] += h * r.v[i];
  SegmentContacts contacts(r.segments, r.body);
  contacts.begin(r.x, out.x);
  out.report =
      project_contacts({h, r.inverse_mass, r.x, r.v, out.x, out.v}, law,
                       [&](std::span<const int> moved, ContactSet& set) { contacts.add(out.x, moved, set); });
  return out;
}

Vector3d momentum(const Rods& r, std::span<const double> v) {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 0; i < r.inverse_mass.size(); ++i)
    sum += Vector3d::Map(v.data() + 3 * i) / r.inverse_mass[i];
  return sum;
}

double kinetic(const Rods& r, std::span<const double> v) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * v[i] / r.inverse_mass[i / 3] / 2;
  return sum;
}

// Two rods, crossed, that would be far beyond each other: each stops where they touch, by the masses.
TEST(SegmentContacts, HoldWhatWouldPassThroughOnItsSide) {
  const double m = 0.7, M = 1.9, u = 1.3, h = 0.11, radius = 0.0031;
  Rods r;
  const int a = r.node({-0.4, 0, 0}, {0, 0, u}, m, 0), b = r.node({0.4, 0, 0}, {0, 0, u}, m, 0);
  const int c = r.node({0, -0.3, 0.05}, {0, 0, 0}, M, 1), d = r.node({0, 0.3, 0.05}, {0, 0, 0}, M, 1);
  r.segments = {{{a, b, -1}, radius}, {{c, d, -1}, radius}};
  const Outcome out = step(r, h, {.depth = 1e-7});
  EXPECT_EQ(out.report.contacts, 1);
  EXPECT_EQ(out.report.crossings, 1);
  EXPECT_LE(out.report.deepest, 1e-7);
  const double below = out.x[2], above = out.x[8];
  EXPECT_NEAR(above - below, 2 * radius, 1e-7);
  // The middle of both moves as if they had not met.
  EXPECT_NEAR(m * below + M * above, m * h * u + M * 0.05, 1e-14);
  for (const std::size_t i : {2u, 5u, 8u, 11u}) EXPECT_NEAR(out.v[i], m * u / (m + M), 1e-12);
}

// A tangle in which most would pass through another.
TEST(SegmentContacts, PutATangleApart) {
  for (const double friction : {0.0, 0.37}) {
    const Rods r = rods(90, 3, 0.0023, 1.1, 7);
    const double h = 0.017;
    NearPairs segments(r.segments);
    std::vector<double> free = r.x;
    for (std::size_t i = 0; i < free.size(); ++i) free[i] += h * r.v[i];
    const test::Passage without = test::passage(segments, r.body, r.x, free);
    EXPECT_GT(without.through, 5);
    const ProjectionLaw law{.friction = friction, .depth = 2.3e-5};
    const Outcome out = step(r, h, law);
    EXPECT_EQ(out.report.crossings, without.through);
    EXPECT_LE(out.report.deepest, law.depth);
    const test::Passage with = test::passage(segments, r.body, r.x, out.x);
    EXPECT_EQ(with.through, 0);
    EXPECT_LE(with.deepest, law.depth);
    EXPECT_LT((momentum(r, out.v) - momentum(r, r.v)).norm(), 1e-13 * momentum(r, r.v).norm());
    EXPECT_LT((momentum(r, out.x) - momentum(r, free)).norm(), 1e-13 * momentum(r, free).norm());
    EXPECT_LT(kinetic(r, out.v), kinetic(r, r.v));
  }
}

// Rods side by side with little room between them: what pushes the first one pushes all, and is seen to do so
// before they touch.
TEST(SegmentContacts, PushARowInFewPasses) {
  const double radius = 0.0031, apart = 2.05 * radius, h = 0.011;
  const std::size_t count = 11;
  Rods r;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3d at(0.001 * static_cast<double>(i % 3), apart * static_cast<double>(i), 0);
    const Vector3d velocity(0, i == 0 ? 1.7 * radius / h : 0, 0);
    const double mass = i == 0 ? 3.1 : 0.7;
    const int a = r.node(at - Vector3d(0.17, 0, 0), velocity, mass, static_cast<int>(i));
    const int b = r.node(at + Vector3d(0.19, 0, 0), velocity, mass, static_cast<int>(i));
    r.segments.push_back({{a, b, -1}, radius});
  }
  const Outcome out = step(r, h, {.depth = 1e-3 * radius});
  EXPECT_LE(out.report.passes, 6);  // 30, and not apart, where only what touches is looked at
  EXPECT_EQ(out.report.contacts, 1);
  EXPECT_LE(out.report.deepest, 1e-3 * radius);
  EXPECT_GT(out.x[3 * 2 * (count - 1) + 1], r.x[3 * 2 * (count - 1) + 1] + 1e-2 * radius);
  EXPECT_LT((momentum(r, out.v) - momentum(r, r.v)).norm(), 1e-13 * momentum(r, r.v).norm());
  NearPairs segments(r.segments);
  EXPECT_LE(test::passage(segments, r.body, r.x, out.x).deepest, 1e-3 * radius);
}

using Touching = std::vector<std::pair<std::vector<int>, double>>;

/// What touches and has one of these bodies, by the nodes that share it.
Touching touching(const ContactSet& set, const Rods& r, const std::vector<char>& bodies) {
  Touching out;
  for (const ContactSet::Contact& c : set.contacts()) {
    std::vector<int> nodes;
    bool has = false;
    for (const ParticleShare& s : set.shares(c)) {
      nodes.push_back(s.particle);
      has = has || bodies[static_cast<std::size_t>(r.body[static_cast<std::size_t>(s.particle)])];
    }
    if (c.touches && has) out.emplace_back(nodes, c.gap);
  }
  std::ranges::sort(out);
  return out;
}

// Pairs are looked at again when they may have come to touch, and not before: none is forgotten, however
// often what is moved is moved.
TEST(SegmentContacts, SeeWhatHasMovedAgain) {
  std::mt19937 random(11);
  for (const double step_size : {0.3, 0.03, 3.0}) {
    const Rods r = rods(80, 3, 0.0037, 0.9, 13);
    const double h = 0.009;
    std::vector<double> x = r.x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * r.v[i];
    SegmentContacts contacts(r.segments, r.body);
    contacts.begin(r.x, x);
    ContactSet set;
    contacts.add(x, {}, set);
    std::size_t found = 0;
    for (int pass = 0; pass < 20; ++pass) {
      std::vector<char> bodies(80, false);
      std::vector<int> moved;
      for (int k = 0; k < 17; ++k) bodies[random() % bodies.size()] = true;
      for (std::size_t node = 0; node < r.body.size(); ++node) {
        if (!bodies[static_cast<std::size_t>(r.body[node])]) continue;
        moved.push_back(static_cast<int>(node));
        Vector3d::Map(x.data() + 3 * node) += test::random_point(random, step_size * 0.0037);
      }
      set.clear();
      contacts.add(x, moved, set);
      SegmentContacts anew(r.segments, r.body);
      anew.begin(r.x, x);
      ContactSet all;
      anew.add(x, {}, all);
      const Touching expected = touching(all, r, bodies);
      EXPECT_EQ(touching(set, r, bodies), expected) << step_size << ", pass " << pass;
      found += expected.size();
    }
    EXPECT_GT(found, 20u);
  }
}

// What was found before decides how the tree is built, and so in which order pairs are listed. Contacts come
// in the same order: a run that is resumed goes on as it would have.
TEST(SegmentContacts, DoNotDependOnWhatWasBefore) {
  const double radius = 0.0037, h = 0.009;
  for (unsigned seed = 1; seed < 12; ++seed) {
    const Rods r = rods(80, 3, radius, 1.9, seed);
    std::vector<double> x = r.x, far = r.x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += h * r.v[i];
      far[i] *= 3;  // long segments have more boxes
    }
    SegmentContacts fresh(r.segments, r.body), used(r.segments, r.body);
    used.begin(far, far);
    fresh.begin(r.x, x);
    used.begin(r.x, x);
    std::mt19937 random(seed);
    std::vector<int> moved;
    std::size_t found = 0;
    for (int pass = 0; pass < 12; ++pass) {
      ContactSet one, two;
      fresh.add(x, moved, one);
      used.add(x, moved, two);
      ASSERT_EQ(one.size(), two.size()) << seed << ", pass " << pass;
      for (std::size_t k = 0; k < one.size(); ++k) {
        EXPECT_EQ(one.contacts()[k].gap, two.contacts()[k].gap);
        for (std::size_t c = 0; c < 4; ++c)
          EXPECT_EQ(one.shares(one.contacts()[k])[c].particle, two.shares(two.contacts()[k])[c].particle);
      }
      found += one.size();
      moved.clear();
      for (int node = 0; node < static_cast<int>(r.body.size()); ++node)
        if (random() % 3 == 0) moved.push_back(node);
      for (const int node : moved)
        Vector3d::Map(x.data() + 3 * node) += test::random_point(random, 1.3 * radius);
    }
    EXPECT_GT(found, 20u);
  }
}

TEST(SegmentContacts, DoNotDependOnThreads) {
  const Rods r = rods(90, 3, 0.0023, 1.1, 9);
  const int before = thread_count();
  set_thread_count(1);
  const Outcome one = step(r, 0.013, {.friction = 0.2, .depth = 2.3e-5});
  set_thread_count(3);
  const Outcome three = step(r, 0.013, {.friction = 0.2, .depth = 2.3e-5});
  set_thread_count(before);
  EXPECT_GT(one.report.contacts, 5);
  EXPECT_EQ(one.x, three.x);
  EXPECT_EQ(one.v, three.v);
}

}  // namespace
}  // namespace stiffly
