#include "shaken_hair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiffly/fibres/fibre.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::bench {
namespace {

/// At 2 Hz and a little across, from rest on.
class RootShake final : public Motion {
 public:
  explicit RootShake(double amplitude) : amplitude_(amplitude) {}
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    constexpr double ramp = 0.2;
    const double s = std::min(1.0, t / ramp), size = s * s * (3 - 2 * s),
                 growth = s < 1 ? 6 * s * (1 - s) / ramp : 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const double amplitude = amplitude_ * (i % 3 == 0 ? 1 : i % 3 == 1 ? 0.12 : 0);
      const double omega = (i % 3 == 0 ? 4 : 6.6) * std::numbers::pi;
      x[i] = start[i] + amplitude * size * std::sin(omega * t);
      v[i] = amplitude * (growth * std::sin(omega * t) + size * omega * std::cos(omega * t));
    }
  }

 private:
  double amplitude_;
};

}  // namespace

Scene shaken_hair(const ShakenHair& hair) {
  const std::vector<Override> changes = {{"model.segments", "[8,8]"},
                                         {"model.length", "0.2"},
                                         {"model.thickness", "9e-5"},
                                         {"model.tip_thickness", "4e-5"},
                                         {"model.young", fmt::format("{}", hair.young)},
                                         {"model.torsion", fmt::format("{}", hair.young / 3.6)},
                                         {"model.density", "1320"},
                                         {"model.damping", fmt::format("{}", hair.damping)},
                                         {"model.drag", "3e-5"},
                                         {"model.direction", "[0,0,-1]"},
                                         {"model.blow", "[0,0,0]"},
                                         {"simulation.duration", "1"},
                                         {"model.start", "hanging"},
                                         {"simulation.gravity", "[0,0,-9.81]"}};
  Scene scene = load_scene(find_scene("bristle"), changes);
  const int root[] = {0, 1, 2, 3};
  dynamic_cast<ParticleSystem&>(*scene.body.system)
      .prescribe(root, std::make_shared<RootShake>(hair.amplitude));
  return scene;
}

Eigen::Vector3d tip_of(const State& state) { return centre_line(to_host(state.x())).back(); }

}  // namespace stiffly::bench
