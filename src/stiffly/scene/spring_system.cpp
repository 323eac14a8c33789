#include "stiffly/scene/spring_system.hpp"

#include "stiffly/scene/body_builder.hpp"

namespace stiffly {

std::unique_ptr<ParticleSystem> make_spring_system(const Particles& particles, std::vector<Spring> springs,
                                                   const std::array<double, 3>& gravity) {
  BodyBuilder builder(particles);
  builder.add_springs(std::move(springs));
  builder.add_gravity(gravity);
  return builder.finish_system();
}

Body make_spring_body(const Particles& particles, std::vector<Spring> springs,
                      const std::array<double, 3>& gravity) {
  Body body;
  for (const Spring& spring : springs) body.springs.emplace_back(spring.first, spring.second);
  auto system = make_spring_system(particles, std::move(springs), gravity);
  body.start = system->initial_state();
  body.system = std::move(system);
  return body;
}

}  // namespace stiffly
