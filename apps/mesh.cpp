// stiffly mesh: what is in a mesh file and what is wrong with it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "json_text.hpp"
#include "stiffly/mesh/mesh.hpp"
#include "stiffly/mesh/report.hpp"

namespace stiffly::app {

using namespace mesh;
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Eigen::Vector3d& x) { return {x.x(), x.y(), x.z()}; }

Json to_json(const Histogram& h) {
  return {{"low", h.low},           {"high", h.high},       {"counts", h.counts},
          {"smallest", h.smallest}, {"largest", h.largest}, {"mean", h.mean}};
}

Json to_json(const MeshReport& r) {
  Json out = {{"points", r.points},
              {"triangles", r.triangles},
              {"tetrahedra", r.tetrahedra},
              {"low", to_json(r.low)},
              {"high", to_json(r.high)},
              {"area", r.area},
              {"volume", r.volume},
              {"components", r.components},
              {"closed", r.closed()},
              {"unused_points", r.unused_points},
              {"duplicate_points", r.duplicate_points},
              {"open_edges", r.open_edges},
              {"non_manifold_edges", r.non_manifold_edges},
              {"inconsistent_edges", r.inconsistent_edges},
              {"degenerate_triangles", r.degenerate_triangles},
              {"degenerate_tetrahedra", r.degenerate_tetrahedra},
              {"inverted_tetrahedra", r.inverted_tetrahedra},
              {"repeated_elements", r.repeated_elements}};
  if (r.triangles > 0) out["triangle_quality"] = to_json(r.triangle_quality);
  if (r.tetrahedra > 0) {
    out["tetrahedron_quality"] = to_json(r.tetrahedron_quality);
    out["dihedral_angles"] = to_json(r.dihedral_angles);
  }
  return out;
}

int report(const std::string& file, bool json) {
  const Mesh mesh = read_mesh(file);
  const MeshReport found = inspect(mesh);
  if (json) {
    Json out = to_json(found);
    out["file"] = file;
    out["notes"] = mesh.notes;
    fmt::print("{}", dump(out));
    return done;
  }
  fmt::print("{}\n{}", file, describe(found));
  for (const std::string& note : mesh.notes) fmt::print("note: {}\n", note);
  return done;
}

}  // namespace

void add_mesh(CLI::App& program, Action& action) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("mesh", "Say what is in a mesh file and what is wrong with it");
  command->add_option("FILE", o->file, "Surface or volume mesh")->required();
  command->add_flag("--json", o->json, "Print one JSON object and nothing else");
  command->callback([o, &action] { action = [o] { return report(o->file, o->json); }; });
}

}  // namespace stiffly::app
