#include "stiffly/scene/spring_system.hpp"

#include "stiffly/forces/gravity.hpp"

namespace stiffly {

std::unique_ptr<ParticleSystem> make_spring_system(const Particles& particles, std::vector<Spring> springs,
                                                   const std::array<double, 3>& gravity) {
  auto system = std::make_unique<ParticleSystem>(particles);
  const auto inner = [&](int particle) { return system->rank()[static_cast<std::size_t>(particle)]; };
  for (Spring& spring : springs) {
    spring.first = inner(spring.first);
    spring.second = inner(spring.second);
  }
  if (!springs.empty()) system->add(std::make_unique<Springs>(std::move(springs), particles.size()));
  if (gravity != std::array<double, 3>{0, 0, 0})
    system->add(
        std::make_unique<Gravity>(Eigen::Vector3d::Map(gravity.data()),
                                  std::vector<double>(system->masses().begin(), system->masses().end())));
  system->finish();
  return system;
}

}  // namespace stiffly
