#include "stiffly/scene/fibre_group.hpp"
#include "stiffly/scene/model_tables.hpp"

namespace stiffly {

Model fibres_model() {
  Model m{"fibres", "fibres of cuboids, their roots held: hair, bristles", fibre_keys(), true, {}};
  m.build = [](const Values& values, const Surroundings& around) {
    FibreParts parts;
    add_fibres(values, around, parts);
    BodyBuilder builder(parts.particles);
    std::vector<std::pair<int, int>> lines = ends_of(parts.springs);
    builder.add_springs(std::move(parts.springs));
    builder.add_gravity(around.gravity);
    add_drag(parts, builder);
    Body body = builder.finish();
    body.springs = std::move(lines);
    body.strands = std::move(parts.strands);
    body.triangles = std::move(parts.triangles);
    body.heads = std::move(parts.heads);
    return body;
  };
  return m;
}

}  // namespace stiffly
