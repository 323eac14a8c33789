#include "stiffly/scene/fibre_group.hpp"
#include "stiffly/scene/model_tables.hpp"

namespace stiffly {

Model fibres_model() {
  Model m{"fibres", "fibres of cuboids, their roots held: hair, bristles", fibre_keys(), true, {}};
  m.build = [](const Values& values, const Surroundings& around) {
    FibreParts parts;
    add_fibres(values, around, parts);
    BodyBuilder builder(parts.particles);
    builder.add_springs(parts.springs);
    builder.add_gravity(around.gravity);
    add_drag(parts, builder);
    Body body = builder.finish();
    for (const Spring& s : parts.springs) body.springs.emplace_back(s.first, s.second);
    body.strands = std::move(parts.strands);
    body.triangles = std::move(parts.triangles);
    body.heads = std::move(parts.heads);
    return body;
  };
  return m;
}

}  // namespace stiffly
