// Scenes in which things touch: from step to step none passes through another, and none is too deep in
// another.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crossings.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::test {
namespace {

/// What of a scene can touch, as segments: centre lines of its fibres, or edges of its surface.
class SceneSegments {
 public:
  SceneSegments(const Scene& scene, double radius) : scene_(scene), pairs_(segments(radius)) {}

  /// From the state before; nothing at the first one, in which what is near within a body belongs to its
  /// shape.
  Passage see(const State& state) {
    const std::vector<double> before = std::exchange(x_, nodes(state));
    if (before.empty()) {
      for (const auto& pair : pairs_.find(x_, pairs_.elements().front().radius))
        if (body(pair.first) == body(pair.second)) shape_.push_back(pair);
      return {};
    }
    return passage(pairs_, before, x_,
                   [&](int i, int j) { return !std::ranges::binary_search(shape_, std::pair(i, j)); });
  }
  std::size_t size() const { return pairs_.elements().size(); }

 private:
  int body(int segment) const {
    return bodies_[static_cast<std::size_t>(pairs_.elements()[static_cast<std::size_t>(segment)].corners[0])];
  }
  std::vector<ThickElement> segments(double radius) {
    std::vector<ThickElement> out;
    int fibre = 0;
    for (const Strand& strand : scene_.body.strands) {
      for (int s = 0; s < strand.sections; ++s) {
        const int node = static_cast<int>(bodies_.size());
        bodies_.push_back(fibre);
        if (s > 0) out.push_back({{node - 1, node, -1}, radius});
      }
      ++fibre;
    }
    if (fibre > 0) return out;
    bodies_.assign(scene_.particles(), 0);
    std::vector<std::pair<int, int>> edges;
    for (const Triangle& t : scene_.body.triangles)
      for (std::size_t c = 0; c < 3; ++c) edges.emplace_back(std::minmax(t[c], t[(c + 1) % 3]));
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [i, j] : edges) out.push_back({{i, j, -1}, radius});
    return out;
  }
  std::vector<double> nodes(const State& state) const {
    const std::vector<Point> particles = scene_.positions(state);
    std::vector<double> out;
    for (const Strand& strand : scene_.body.strands)
      for (int s = 0; s < strand.sections; ++s)
        for (std::size_t d = 0; d < 3; ++d) {
          double sum = 0;
          for (int corner = 0; corner < 4; ++corner)
            sum += particles[static_cast<std::size_t>(strand.first_particle + 4 * s + corner)][d];
          out.push_back(sum / 4);
        }
    if (scene_.body.strands.empty())
      for (const Point& x : particles) out.insert(out.end(), x.begin(), x.end());
    return out;
  }

  const Scene& scene_;
  std::vector<int> bodies_;  ///< of each node
  NearPairs pairs_;
  std::vector<std::pair<int, int>> shape_;
  std::vector<double> x_;
};

struct TouchingScene {
  const char* name;
  double radius;
  std::vector<Override> overrides;
};

void stays_apart(const TouchingScene& touching) {
  SceneRun run(load_scene(find_scene(touching.name), touching.overrides));
  SceneSegments segments(run.scene(), touching.radius);
  ASSERT_GT(segments.size(), 10u);
  long states = 0, through = 0;
  double deepest = 0;
  const auto look = [&](const State& state) {
    const Passage passed = segments.see(state);
    ++states;
    through += passed.through;
    deepest = std::max(deepest, passed.deepest);
  };
  const auto step = [&](const State& state, const SimulationSummary&) {
    look(state);
    return true;
  };
  const RunReport report = run.simulate({.step = step});
  EXPECT_EQ(report.status, RunStatus::done) << report.error;
  EXPECT_GT(states, 20);
  EXPECT_EQ(through, 0) << touching.name;
  EXPECT_LE(deepest, 0.01 * 2 * touching.radius) << touching.name;
  std::printf("%s: %ld states, deepest %.3g m\n", touching.name, states, deepest);
  if (const auto& did = report.summary.projection)
    std::printf(
        "%ld contacts at most, %ld ways through barred, %ld passes, %ld halvings, deepest %.3g m, %.3g J "
        "taken\n",
        did->contacts, did->crossings, did->passes, did->halvings, did->deepest, did->taken);
}

TouchingScene hair(const char* count, const char* duration) {
  return {"hair",
          4.5e-5,
          {{"contact.between", "bodies", ""},
           {"model.count", count, ""},
           {"simulation.duration", duration, ""},
           {"simulation.frames", "1000", ""}}};
}

TEST(TouchingScenes, HairStaysApart) { stays_apart(hair("120", "0.75")); }

TEST(TouchingScenes, LongHairStaysApart) { stays_apart(hair("600", "10")); }

TouchingScene for_ten_seconds(const char* name, double radius) {
  return {name, radius, {{"simulation.duration", "10", ""}}};
}

TEST(TouchingScenes, LongPileStaysApart) { stays_apart(for_ten_seconds("pile", 0.003)); }

TEST(TouchingScenes, LongToothbrushStaysApart) { stays_apart(for_ten_seconds("toothbrush", 6e-5)); }

TEST(TouchingScenes, LongKnotStaysApart) { stays_apart(for_ten_seconds("knot", 0.002)); }

TEST(TouchingScenes, LongDrapeStaysApart) { stays_apart(for_ten_seconds("drape", 0.001)); }

TouchingScene with_barrier(TouchingScene scene) {
  scene.overrides.push_back({"contact.response", "barrier", ""});
  scene.overrides.push_back({"simulation.integrator", "tr-bdf2", ""});
  return scene;
}

TEST(TouchingScenes, LongPileWithABarrierStaysApart) { stays_apart(with_barrier({"pile", 0.003, {}})); }

TEST(TouchingScenes, LongDrapeWithABarrierStaysApart) { stays_apart(with_barrier({"drape", 0.001, {}})); }

TEST(TouchingScenes, LongPileWithABarrierStaysApartForTenSeconds) {
  stays_apart(with_barrier(for_ten_seconds("pile", 0.003)));
}

TEST(TouchingScenes, LongDrapeWithABarrierStaysApartForTenSeconds) {
  stays_apart(with_barrier(for_ten_seconds("drape", 0.001)));
}

TEST(TouchingScenes, LongKnotWithABarrierStaysApartForTenSeconds) {
  stays_apart(with_barrier(for_ten_seconds("knot", 0.002)));
}

TEST(TouchingScenes, LongToothbrushWithABarrierStaysApartForTenSeconds) {
  stays_apart(with_barrier(for_ten_seconds("toothbrush", 6e-5)));
}

// Pulled halfway: the rod begins to slide along itself.
TEST(TouchingScenes, KnotWithABarrierStaysApart) {
  TouchingScene knot = with_barrier({"knot", 0.002, {}});
  knot.overrides.push_back({"simulation.duration", "0.5", ""});
  stays_apart(knot);
}

// What presses a brush onto the teeth stops at 10 ms, its acceleration at once: books of energy are kept
// through that, and steps do not become shorter without end.
TEST(TouchingScenes, BristlesGetPastTheEndOfThePress) {
  for (const char* method : {"ros3pl", "auto"})
    for (const double x : {-0.0017084949316, -0.0016902079018, -0.0016996936552, -0.0017061609980}) {
      const std::vector<Override> one = {{"size", "full", ""},
                                         {"model.count", "1", ""},
                                         {"model.centre", fmt::format("[{}, 0.000144, 0.0119]", x), ""},
                                         {"simulation.integrator", method, ""},
                                         {"simulation.duration", "0.012", ""}};
      SceneRun run(load_scene(find_scene("toothbrush"), one));
      const RunReport report = run.simulate();
      EXPECT_EQ(report.status, RunStatus::done) << method << ": " << report.error;
      EXPECT_LT(report.summary.steps, 3000) << method;
    }
}

}  // namespace
}  // namespace stiffly::test
