#include "stiffly/scene/listed_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "stiffly/scene/spring_system.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

Particles list_particles(const SceneFile& file) {
  const Origin origin(file.path.string());
  if (file.particles.empty())
    refuse(origin, "there are no particles: add [[particle]] tables, particles = \"FILE.csv\", or a [model]");
  Particles out;
  for (const Values& p : file.particles) {
    out.position.push_back(p.vector("position"));
    out.velocity.push_back(p.vector("velocity"));
    out.mass.push_back(p.number("mass"));
    out.pinned.push_back(p.boolean("pinned"));
    if (out.pinned.back() && out.velocity.back() != std::array<double, 3>{0, 0, 0})
      refuse(p.origin("velocity"),
             fmt::format("particle {} is pinned, so it cannot have a velocity", out.size() - 1));
  }
  if (std::find(out.pinned.begin(), out.pinned.end(), false) == out.pinned.end())
    refuse(origin, "every particle is pinned: nothing can move");
  return out;
}

Spring read_spring(const Values& s, std::size_t number, const Particles& particles) {
  const auto ends = s.pair("ends");
  for (const std::int64_t end : ends)
    if (end >= static_cast<std::int64_t>(particles.size()))
      refuse(s.origin("ends"),
             fmt::format("spring {} ends at particle {}, but there are {} particles, numbered from 0", number,
                         end, particles.size()));
  if (ends[0] == ends[1])
    refuse(s.origin("ends"), fmt::format("spring {} has both ends at particle {}", number, ends[0]));
  const auto& a = particles.position[static_cast<std::size_t>(ends[0])];
  const auto& b = particles.position[static_cast<std::size_t>(ends[1])];
  const double distance = std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  if (!(distance > 0))
    refuse(s.origin("ends"), fmt::format("spring {} has no length: particles {} and {} are at the same place",
                                         number, ends[0], ends[1]));
  const double rest = s.given("rest_length") ? s.number("rest_length") : distance;
  return {static_cast<int>(ends[0]), static_cast<int>(ends[1]),
          s.number("stiffness"),     rest,
          s.number("damping"),       s.text("law") == "cubic" ? SpringLaw::cubic : SpringLaw::linear};
}

std::vector<Spring> list_springs(const SceneFile& file, const Particles& particles) {
  std::vector<Spring> out;
  std::map<std::tuple<int, int, SpringLaw>, std::size_t> seen;
  for (const Values& values : file.springs) {
    const Spring spring = read_spring(values, out.size(), particles);
    const auto key =
        std::tuple(std::min(spring.first, spring.second), std::max(spring.first, spring.second), spring.law);
    const auto [it, is_new] = seen.emplace(key, out.size());
    if (!is_new)
      refuse(
          values.origin("ends"),
          fmt::format(
              "springs {} and {} both join particles {} and {}; give one with the sum of their stiffnesses",
              it->second, out.size(), spring.first, spring.second));
    out.push_back(spring);
  }
  return out;
}

}  // namespace

Body listed_body(const SceneFile& file, const std::array<double, 3>& gravity) {
  const Particles particles = list_particles(file);
  return make_spring_body(particles, list_springs(file, particles), gravity);
}

}  // namespace stiffly
