// A force of one's own in C++: a soft floor that pushes back what sinks into it, and a chain that falls on it.
//
// Build it with CMake: find_package(stiffly), then link stiffly::stiffly.
#include <cstdio>
#include <stiffly/control/methods.hpp>
#include <stiffly/error.hpp>
#include <stiffly/forces/gravity.hpp>
#include <stiffly/forces/springs.hpp>
#include <stiffly/system/particle_system.hpp>

// Energy k/3 d³ of each particle at a depth d = −z > 0: its force k d² and its stiffness 2kd have no jump where it
// touches.
class Floor final : public stiffly::Force {
 public:
  explicit Floor(double stiffness) : stiffness_(stiffness) {}

  std::string name() const override { return "floor"; }
  double energy(const stiffly::Configuration& q) const override {
    double sum = 0;
    for (std::size_t i = 0; i < q.free; ++i) sum += stiffness_ / 3 * depth(q, i) * depth(q, i) * depth(q, i);
    return sum;
  }
  void add_force(const stiffly::Configuration& q, std::span<double> f) const override {
    for (std::size_t i = 0; i < q.free; ++i) f[3 * i + 2] += stiffness_ * depth(q, i) * depth(q, i);
  }
  // It couples no particles: the diagonal blocks are always there.
  void add_pairs(std::size_t, std::vector<std::pair<int, int>>&) const override {}
  void attach(std::size_t, const stiffly::BlockPattern&) override {}
  void add_tangent(const stiffly::Configuration& q, stiffly::Tangent& tangent) const override {
    stiffly::BlockMatrix& K = tangent.stiffness;
    for (std::size_t i = 0; i < q.free; ++i)
      K.block(K.pattern().find(i, static_cast<int>(i)))[8] += 2 * stiffness_ * depth(q, i);
  }
  // It turns what falls on it.
  bool keeps_spin() const override { return false; }

 private:
  static double depth(const stiffly::Configuration& q, std::size_t i) { return std::max(0.0, -q.x[3 * i + 2]); }
  double stiffness_;
};

int main() {
  try {
    // Ten particles in a row, linked by springs, above the floor.
    stiffly::Particles particles;
    std::vector<stiffly::Spring> springs;
    for (int i = 0; i < 10; ++i) {
      particles.position.push_back({0.1 * i, 0, 0.2 + 0.03 * i});
      particles.velocity.push_back({0, 0, 0});
      particles.mass.push_back(0.01);
      particles.pinned.push_back(false);
      if (i > 0) springs.push_back({.first = i - 1, .second = i, .stiffness = 500, .rest_length = 0.1044});
    }
    stiffly::ParticleSystem system(particles);
    system.add(std::make_unique<stiffly::Springs>(springs, particles.size()));
    system.add(std::make_unique<stiffly::Gravity>(Eigen::Vector3d(0, 0, -9.81), particles.mass));
    system.add(std::make_unique<Floor>(1e4));
    system.finish();

    // Any method by name, with steps that are chosen for a tolerance.
    const stiffly::State start = system.initial_state();
    const double before = system.energy(start);
    const auto stepper = stiffly::make_stepper("exprb42", system, start, {.duration = 1, .tolerance = 1e-4});
    long steps = 0;
    double lowest = 1;
    for (; !stepper->done(); ++steps) {
      stepper->advance();
      for (const auto& x : system.positions(stepper->state())) lowest = std::min(lowest, x[2]);
    }
    std::printf("%ld steps; lowest point %.1f mm below the floor; energy %+.1e of %.3f J\n", steps, -1e3 * lowest,
                stepper->energy() - before, before);
    return 0;
  } catch (const stiffly::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
