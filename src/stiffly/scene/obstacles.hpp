// Obstacles of a scene, and how things that touch push each other apart.
#pragma once

#include "stiffly/contact/contact_projection.hpp"
#include "stiffly/contact/one_sided_contacts.hpp"
#include "stiffly/scene/body.hpp"
#include "stiffly/scene/scene_file.hpp"

namespace stiffly {

std::vector<Key> obstacle_keys();
std::vector<Key> contact_keys();

/// The numbers of [contact].
struct ContactLaws {
  RepulsionLaw repulsion;
  FrictionLaw friction;
  ContactResponse response;
  std::optional<ProjectionLaw> projection;  ///< where contact is projected away, and is no force
};
/// For a response. Throws InputError at `needed_by` where they are not given.
ContactLaws contact_laws(const SceneFile& file, const std::string& response, const Origin& needed_by);

/// Of a body of fibres, what batches of them do about contact. Nothing is said yet about what touches what.
FibreContactLaw& contact_of_fibres(const SceneFile& file, const ProjectionLaw& projection, Body& body);

/// Throws InputError where something begins in touch, which has no end of energy behind a barrier.
void check_clear(const Force& barrier, const ParticleSystem& system, const Body& body);

/// The force of contact goes to the system, or what it finds to the projection of the body.
template <class Repulsion>
void add_contact(const ContactLaws& laws, std::unique_ptr<Repulsion> force, Body& body) {
  auto& system = dynamic_cast<ParticleSystem&>(*body.system);
  if (force->is_barrier()) check_clear(*force, system, body);
  if (!laws.projection) {
    system.add(std::move(force));
    return;
  }
  body.touches = true;
  if (!body.projection) body.projection = std::make_shared<ContactProjection>(system, *laws.projection);
  const std::shared_ptr<const Repulsion> kept = std::move(force);
  system.driven_by(kept);
  body.projection->add(kept, kept->source());
}

/// Adds the [[obstacle]]s of the file, with the numbers of its [contact], to a body of particles. Throws
/// InputError at the line of whatever is wrong; where particles begin inside an obstacle, naming the deepest
/// one, unless they are to be pushed out first.
void add_obstacles(const SceneFile& file, Body& body);

}  // namespace stiffly
