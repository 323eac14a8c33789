#include "stiffly/scene/touching_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/contact/body_repulsion.hpp"
#include "stiffly/contact/put_apart.hpp"
#include "stiffly/error.hpp"
#include "stiffly/scene/obstacles.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

/// Nodes are made as elements need them.
class BodiesBuilder {
 public:
  BodiesBuilder(const Body& body, const ParticleSystem& system, double radius)
      : body_(body), system_(system), radius_(radius), node_of_(system.particles(), -1) {}

  ContactBodies build(bool themselves) {
    find_bodies();
    add_fibres();
    add_surface();
    add_springs();
    add_single_particles();
    bodies_.themselves = themselves;
    return std::move(bodies_);
  }

 private:
  void find_bodies() {
    std::vector<std::pair<int, int>> pairs = body_.springs;
    const auto connect = [&](const auto& element) {
      for (std::size_t i = 1; i < element.size(); ++i) pairs.emplace_back(element[0], element[i]);
    };
    for (const Triangle& t : body_.triangles) connect(t);
    for (const Tetrahedron& t : body_.tetrahedra) connect(t);
    component_ = BlockPattern::symmetric(system_.particles(), 1, std::move(pairs))->components();
  }

  int node(std::vector<int> particles) {
    bodies_.body.push_back(component_[static_cast<std::size_t>(particles.front())]);
    for (int& particle : particles) particle = system_.rank()[static_cast<std::size_t>(particle)];
    bodies_.nodes.push_back({std::move(particles)});
    return static_cast<int>(bodies_.nodes.size()) - 1;
  }
  int node(int particle) {
    int& known = node_of_[static_cast<std::size_t>(particle)];
    if (known < 0) known = node(std::vector<int>{particle});
    return known;
  }
  void add(std::array<int, 3> corners) { bodies_.elements.push_back({corners, radius_}); }

  void add_fibres() {
    for (const Strand& strand : body_.strands) {
      int before = -1;
      for (int section = 0; section < strand.sections; ++section) {
        std::vector<int> particles;
        for (int corner = 0; corner < 4; ++corner) {
          particles.push_back(strand.first_particle + 4 * section + corner);
          node_of_[static_cast<std::size_t>(particles.back())] = within_;
        }
        const int here = node(std::move(particles));
        if (before >= 0) add({before, here, -1});
        before = here;
      }
    }
  }
  /// Its corners, edges and triangles, each once. That of a head, which fibres grow out of, touches nothing:
  /// what keeps them away is the head itself.
  void add_surface() {
    if (!body_.strands.empty())
      for (const Triangle& t : body_.triangles)
        for (const int p : t) node_of_[static_cast<std::size_t>(p)] = within_;
    std::vector<std::pair<int, int>> edges;
    std::vector<int> corners;
    for (const Triangle& t : body_.triangles) {
      if (std::any_of(t.begin(), t.end(), [&](int p) { return is_within(p); })) continue;
      add({node(t[0]), node(t[1]), node(t[2])});
      for (std::size_t i = 0; i < 3; ++i) {
        edges.emplace_back(std::minmax(t[i], t[(i + 1) % 3]));
        corners.push_back(t[i]);
      }
    }
    const auto each_once = [](auto& all) {
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
    };
    each_once(edges);
    each_once(corners);
    for (const auto& [i, j] : edges) add({node(i), node(j), -1});
    for (const int corner : corners) add({node(corner), -1, -1});
    // What has a surface touches with nothing else.
    std::vector<bool> has_surface(system_.particles(), false);
    for (const int corner : corners)
      has_surface[static_cast<std::size_t>(component_[static_cast<std::size_t>(corner)])] = true;
    for (std::size_t p = 0; p < component_.size(); ++p)
      if (node_of_[p] < 0 && has_surface[static_cast<std::size_t>(component_[p])]) node_of_[p] = within_;
    for (std::size_t p = 0; p < component_.size(); ++p)
      surface_.push_back(has_surface[static_cast<std::size_t>(component_[p])]);
  }
  void add_springs() {
    for (const auto& [i, j] : body_.springs)
      if (!is_within(i) && !is_within(j) && !surface_[static_cast<std::size_t>(i)])
        add({node(i), node(j), -1});
  }
  void add_single_particles() {
    for (int p = 0; p < static_cast<int>(system_.particles()); ++p)
      if (node_of_[static_cast<std::size_t>(p)] == -1) add({node(p), -1, -1});
  }
  bool is_within(int particle) const { return node_of_[static_cast<std::size_t>(particle)] == within_; }

  static constexpr int within_ = -2;  ///< of particles that touch nothing themselves
  const Body& body_;
  const ParticleSystem& system_;
  double radius_;
  std::vector<int> component_, node_of_;
  std::vector<bool> surface_;
  ContactBodies bodies_;
};

}  // namespace

bool bodies_touch(const SceneFile& file) { return file.contact.text("between") != "nothing"; }

void add_touching_bodies(const SceneFile& file, Body& body) {
  if (!bodies_touch(file)) return;
  auto& system = dynamic_cast<ParticleSystem&>(*body.system);
  const Origin asked = file.contact.origin("between");
  const ContactLaws laws = contact_laws(file, file.contact.text("response"), asked);
  const ContactBodies bodies =
      BodiesBuilder(body, system, file.contact.number("radius")).build(file.contact.text("between") == "all");
  std::vector<double> x(system.start_positions().begin(), system.start_positions().end());
  const auto start = host(body.start.x());
  std::copy(start.begin(), start.end(), x.begin());
  if (file.contact.boolean("push_apart")) {
    std::vector<double> inverse_mass(system.particles(), 0.0);
    for (std::size_t i = 0; i < system.free_particles(); ++i) inverse_mass[i] = 1 / system.masses()[i];
    put_apart(bodies, inverse_mass, laws.projection ? laws.projection->depth : laws.repulsion.range, x);
    std::copy_n(x.begin(), start.size(), body.start.x().data());
  }
  if (laws.projection && !body.strands.empty()) {
    FibreContactLaw& law = contact_of_fibres(file, *laws.projection, body);
    law.each_other = true;
    law.themselves = bodies.themselves;
  }
  try {
    add_contact(
        laws, std::make_unique<BodyRepulsion>(bodies, x, laws.repulsion, laws.friction, laws.response), body);
    body.touches = true;
  } catch (const InputError& error) {
    refuse(asked, fmt::format("{}{}", error.what(),
                              file.contact.boolean("push_apart")
                                  ? ""
                                  : ", or set 'push_apart = true' in [contact] where it overlaps a little"));
  }
}

}  // namespace stiffly
