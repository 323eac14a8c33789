#include "stiffly/scene/chain.hpp"

#include "stiffly/error.hpp"
#include "stiffly/scene/spring_system.hpp"

namespace stiffly {

Chain make_chain(const ChainParameters& p) {
  if (p.particles < 2) throw InputError("a chain needs at least two particles");
  Chain chain;
  for (int i = 0; i < p.particles; ++i) {
    chain.particles.position.push_back({i * p.spacing, 0, 0});
    chain.particles.velocity.push_back({0, 0, 0});
    chain.particles.mass.push_back(p.mass);
    chain.particles.pinned.push_back(i == 0);
    if (i >= 1) chain.springs.push_back({i - 1, i, p.stiffness, p.spacing, p.damping});
    if (i >= 2 && p.bending > 0) chain.springs.push_back({i - 2, i, p.bending, 2 * p.spacing});
  }
  return chain;
}

std::unique_ptr<ParticleSystem> make_chain_system(const ChainParameters& p) {
  Chain chain = make_chain(p);
  return make_spring_system(chain.particles, std::move(chain.springs), p.gravity);
}

}  // namespace stiffly
