#include "stiffly/scene/listed_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Core>
#include <map>

#include "stiffly/error.hpp"
#include "stiffly/forces/girders.hpp"
#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/scene/body_builder.hpp"
#include "stiffly/scene/fibre_group.hpp"
#include "stiffly/scene/rigid_box.hpp"

namespace stiffly {
namespace {

Particles list_particles(const SceneFile& file) {
  const Origin origin(file.path.string());
  const bool has_others = !file.fibres.empty() || !file.rigid.empty();
  if (file.particles.empty() && !has_others)
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
  if (!has_others && std::find(out.pinned.begin(), out.pinned.end(), false) == out.pinned.end())
    refuse(origin, "every particle is pinned: nothing can move");
  return out;
}

/// Of the length of a spring to that at rest: far from where rounding would decide on its direction.
constexpr double least_length = 1e-9;

/// A table [[spring]], [[weighted_spring]] or [[girder]] and its number among its like.
struct Link {
  const Values& values;
  std::size_t number;
  const Particles& particles;

  std::string name() const {
    std::string kind = values.section().name;
    std::replace(kind.begin(), kind.end(), '_', ' ');
    return fmt::format("{} {}", kind, number);
  }
  int particle(std::int64_t index, std::string_view key) const {
    if (index >= static_cast<std::int64_t>(particles.size()))
      refuse(values.origin(key),
             fmt::format("{} ends at particle {}, but there are {} particles, numbered from 0", name(), index,
                         particles.size()));
    return static_cast<int>(index);
  }
  Eigen::Vector3d position(int index) const {
    return Eigen::Vector3d::Map(particles.position[static_cast<std::size_t>(index)].data());
  }
  std::pair<int, int> ends() const {
    const auto given = values.pair("ends");
    const int a = particle(given[0], "ends"), b = particle(given[1], "ends");
    if (a == b) refuse(values.origin("ends"), fmt::format("{} has both ends at particle {}", name(), a));
    if (position(a) == position(b))
      refuse(values.origin("ends"),
             fmt::format("{} has no length: particles {} and {} are at the same place", name(), a, b));
    return {a, b};
  }
  /// Of a spring as long as `distance` at the start.
  SpringMaterial material(double distance) const {
    if (values.given("rest_length") && distance < least_length * values.number("rest_length"))
      refuse(values.origin("rest_length"),
             fmt::format("{} is {} m long at the start and {} m at rest: so short a spring has no direction "
                         "that could be computed",
                         name(), distance, values.number("rest_length")));
    return {values.number("stiffness"), values.given("rest_length") ? values.number("rest_length") : distance,
            values.number("damping"), values.text("law") == "cubic" ? SpringLaw::cubic : SpringLaw::linear};
  }
};

/// Refuses a second one of a kind between the same particles.
class Pairs {
 public:
  void add(const Link& link, std::pair<int, int> ends, int kind = 0) {
    const auto [it, is_new] = numbers_.emplace(
        std::tuple(std::min(ends.first, ends.second), std::max(ends.first, ends.second), kind), link.number);
    if (!is_new)
      refuse(link.values.origin("ends"),
             fmt::format("{0}s {1} and {2} both join particles {3} and {4}; give one with the sum of their "
                         "stiffnesses",
                         link.values.section().name, it->second, link.number, ends.first, ends.second));
  }

 private:
  std::map<std::tuple<int, int, int>, std::size_t> numbers_;
};

std::vector<Spring> list_springs(const SceneFile& file, const Particles& particles) {
  std::vector<Spring> out;
  Pairs pairs;
  for (const Values& values : file.springs) {
    const Link link{values, out.size(), particles};
    const auto [a, b] = link.ends();
    const SpringMaterial m = link.material((link.position(b) - link.position(a)).norm());
    pairs.add(link, {a, b}, static_cast<int>(m.law));
    out.push_back({a, b, m.stiffness, m.rest_length, m.damping, m.law});
  }
  return out;
}

/// Particles as the user numbers them.
SpringEnd spring_end(const Link& link, const std::string& key) {
  SpringEnd end;
  for (const std::int64_t index : link.values.integers(key))
    end.particles.push_back(link.particle(index, key));
  end.weights =
      link.values.given(key + "_weights")
          ? link.values.numbers(key + "_weights")
          : std::vector<double>(end.particles.size(), 1.0 / static_cast<double>(end.particles.size()));
  try {
    check(end, link.name());
  } catch (const InputError& error) {
    refuse(link.values.origin(link.values.given(key + "_weights") ? key + "_weights" : key), error.what());
  }
  return end;
}

std::vector<WeightedSpring> list_weighted_springs(const SceneFile& file, const Particles& particles) {
  std::vector<WeightedSpring> out;
  for (const Values& values : file.weighted_springs) {
    const Link link{values, out.size(), particles};
    const SpringEnd first = spring_end(link, "first"), second = spring_end(link, "second");
    const auto centre = [&](const SpringEnd& end) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (std::size_t i = 0; i < end.particles.size(); ++i)
        sum += end.weights[i] * link.position(end.particles[i]);
      return sum;
    };
    const double distance = (centre(second) - centre(first)).norm();
    if (!(distance > 0))
      refuse(values.origin(), fmt::format("{} has no length: its ends are at the same place", link.name()));
    out.push_back({first, second, link.material(distance)});
  }
  return out;
}

std::vector<Girder> list_girders(const SceneFile& file, const Particles& particles) {
  std::vector<Girder> out;
  Pairs pairs;
  for (const Values& values : file.girders) {
    const Link link{values, out.size(), particles};
    const auto [a, b] = link.ends();
    pairs.add(link, {a, b});
    const double axial = values.number("axial"), bending = values.number("bending");
    if (bending > axial)
      refuse(values.origin("bending"),
             fmt::format("'bending' of {} is {} N/m, more than its 'axial' stiffness {} N/m", link.name(),
                         bending, axial));
    out.push_back({a, b, axial, bending});
  }
  return out;
}

}  // namespace

Body listed_body(const SceneFile& file, const Surroundings& around) {
  Particles listed = list_particles(file);
  RigidParts rigid;
  for (const Values& box : file.rigid) add_rigid_box(box, listed, rigid);
  FibreParts parts{.particles = listed, .springs = list_springs(file, listed)};
  for (const Values& group : file.fibres) try {
      add_fibres(group, around, parts);
    } catch (const InputError& error) {
      refuse(group.origin(), error.what());
    }
  const Particles& particles = parts.particles;
  std::vector<WeightedSpring> weighted = list_weighted_springs(file, listed);
  weighted.insert(weighted.end(), rigid.links.begin(), rigid.links.end());
  std::vector<Girder> girders = list_girders(file, listed);
  std::vector<std::pair<int, int>> lines = ends_of(parts.springs);
  for (const Girder& g : girders) lines.emplace_back(g.first, g.second);

  BodyBuilder builder(particles);
  builder.add_springs(std::move(parts.springs));
  for (WeightedSpring& spring : weighted)
    for (SpringEnd* end : {&spring.first, &spring.second})
      for (int& particle : end->particles) particle = builder.inner(particle);
  if (!weighted.empty()) builder.add(std::make_unique<WeightedSprings>(weighted, particles.size()));
  for (Girder& girder : girders) {
    girder.first = builder.inner(girder.first);
    girder.second = builder.inner(girder.second);
  }
  if (!girders.empty()) builder.add(std::make_unique<Girders>(girders, builder.inner_positions()));
  builder.add_gravity(around.gravity);
  add_drag(parts, builder);
  Body body = builder.finish();
  body.springs = std::move(lines);
  body.strands = std::move(parts.strands);
  body.triangles = std::move(parts.triangles);
  body.triangles.insert(body.triangles.end(), rigid.triangles.begin(), rigid.triangles.end());
  body.heads = std::move(parts.heads);
  return body;
}

}  // namespace stiffly
