// Obstacles of a scene, and how things that touch push each other apart.
#pragma once

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
};
/// Throws InputError at `needed_by` where they are not given.
ContactLaws contact_laws(const SceneFile& file, const Origin& needed_by);

/// Adds the [[obstacle]]s of the file, with the numbers of its [contact], to a body of particles. Throws
/// InputError at the line of whatever is wrong; where particles begin inside an obstacle, naming the deepest
/// one, unless they are to be pushed out first.
void add_obstacles(const SceneFile& file, Body& body);

}  // namespace stiffly
