#include "stiffly/scene/flag.hpp"

#include "stiffly/scene/body_builder.hpp"

namespace stiffly {

Body make_flag(const FlagParameters& p, const std::array<double, 3>& gravity) {
  Sheet sheet = make_sheet(p.sheet);
  if (p.lying)
    for (Eigen::Vector3d& x : sheet.points)
      x = Eigen::Vector3d(x.x() - p.sheet.width / 2, x.z() + p.sheet.height / 2, 0) +
          Eigen::Vector3d::Map(p.lying->data());
  const std::size_t count = sheet.points.size();
  const double mass = p.area_density * p.sheet.width * p.sheet.height / static_cast<double>(count);
  Particles particles = still_particles(sheet.points, std::vector<double>(count, mass));
  using enum FlagParameters::Held;
  if (p.held == corners) sheet.pole = {sheet.pole.front(), sheet.pole.back()};
  if (p.held == nothing) sheet.pole.clear();
  for (const int particle : sheet.pole) particles.pinned[static_cast<std::size_t>(particle)] = true;

  std::vector<Spring> springs =
      springs_at_rest(sheet.stretch, particles.position, p.structural, p.damping, p.law);
  for (const auto& [ends, stiffness] :
       {std::pair{&sheet.shear, p.shear}, std::pair{&sheet.bend, p.bending}}) {
    const std::vector<Spring> more = springs_at_rest(*ends, particles.position, stiffness, 0, p.law);
    if (stiffness > 0) springs.insert(springs.end(), more.begin(), more.end());
  }

  BodyBuilder builder(particles);
  builder.add_springs(springs);
  builder.add_gravity(gravity);
  builder.add(std::make_unique<WindForce>(builder.inner(std::span<const Triangle>(sheet.triangles)), count,
                                          p.wind, WindLaw::quadratic, p.drag));
  Body body = builder.finish();
  for (const Spring& spring : springs) body.springs.emplace_back(spring.first, spring.second);
  body.triangles = std::move(sheet.triangles);
  return body;
}

}  // namespace stiffly
