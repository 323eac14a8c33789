#include "stiffly/scene/fibre_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <random>

#include "stiffly/contact/ellipsoid.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/growth.hpp"
#include "stiffly/fibres/hanging.hpp"
#include "stiffly/fibres/head.hpp"
#include "stiffly/fibres/layers.hpp"
#include "stiffly/fibres/strand_files.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/forces/air_drag.hpp"
#include "stiffly/scene/model_tables.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

Vector3d as_vector(const std::array<double, 3>& x) { return Vector3d::Map(x.data()); }

Key direction_key(std::string name, std::string unit, std::string help, std::array<double, 3> fallback) {
  return {.name = std::move(name),
          .type = ValueType::vector,
          .unit = std::move(unit),
          .help = std::move(help),
          .fallback = fallback};
}

/// Segments of the i-th fibre: from the least to the most, in turn.
int segments_of(const Values& group, std::size_t i) {
  const auto [least, most] = group.pair("segments");
  if (least < 1 || most < least || most > 10000)
    throw InputError("'segments' must be the least and the most, 1 … 10000 and in this order");
  return static_cast<int>(least + static_cast<std::int64_t>(i) % (most - least + 1));
}

/// Before anything is made of so many fibres.
void check_memory(double count, double sections) {
  constexpr double bytes = 3.3e3;  // of particles, springs, pattern and states, for each cross-section
  const double needed = bytes * count * sections;
  if (needed > 0.9 * memory_bytes())
    throw InputError(
        fmt::format("{} fibres of {:.0f} cross-sections need about {:.1f} GiB, and the machine has {:.1f}: "
                    "take fewer",
                    count, sections, needed / 0x1p30, memory_bytes() / 0x1p30));
}

/// Grown as the keys say. Fibres differ by random numbers that are the same in every run.
std::vector<CentreLine> grown_lines(const Values& group) {
  const bool on_head = group.text("roots") == "head";
  const int count = group.integer("count");
  const Vector3d centre = as_vector(group.vector("centre"));
  const Taper taper{group.number("thickness"), group.number("tip_thickness")};
  Curl curl{.radius = group.number("curl_radius")};
  if (curl.radius > 0) curl.pitch = group.number("curl_pitch");
  std::mt19937 random(static_cast<unsigned>(group.integer("seed")));
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
  };
  const double length = group.number("length"), spread = group.number("length_spread");
  std::vector<CentreLine> lines;
  const auto add = [&](const Vector3d& root, const Vector3d& direction, const GrowthGuide& guide) {
    curl.phase = between(0, 2 * std::numbers::pi);
    lines.push_back(grow(root, direction, guide, length * between(1 - spread, 1 + spread),
                         segments_of(group, lines.size()), taper, curl));
  };
  const auto straight_on = [](const Vector3d&, const Vector3d& along) { return along; };
  if (group.text("roots") == "stack") {
    for (const StackedPlace& place :
         stack(count, group.integer("layer"), centre, group.number("spacing"), length, random))
      add(place.root, place.direction, straight_on);
  } else if (on_head) {
    const Head head{centre, as_vector(group.vector("head_radii"))};
    if (!(head.radii.minCoeff() > 0)) throw InputError("'head_radii' must be positive");
    if (group.text("comb") == "layers") {
      if (curl.radius > 0)
        throw InputError("'curl_radius' must be 0 for hair in layers, which is straight between bends");
      std::vector<LayeredHair> hairs;
      for (const Vector3d& direction : scalp(count))
        hairs.push_back({direction, length * between(1 - spread, 1 + spread), length * (1 - spread),
                         segments_of(group, hairs.size())});
      return layered(head, hairs, taper);
    }
    for (const Vector3d& direction : scalp(count)) {
      const Vector3d root = head.point(direction);
      const double lift = head.radii.mean() * (0.05 + 0.12 * (1 + direction.z()) / 2) * between(0.4, 1.4);
      add(root, head.outwards(root), combed(head, direction, lift));
    }
  } else {
    const Vector3d direction = as_vector(group.vector("direction"));
    if (direction.isZero(0)) throw InputError("'direction' must not be zero");
    for (const Vector3d& root : sunflower(count, centre, direction, count > 1 ? group.number("radius") : 0))
      add(root, direction, straight_on);
  }
  return lines;
}

std::vector<CentreLine> lines_from_file(const Values& group, const NamedFiles& files) {
  std::vector<CentreLine> lines =
      read_strands(files.at(group.text("file")), group.number("file_scale"), group.number("thickness"));
  if (group.given("segments"))
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].points.size() >= 2) lines[i] = resampled(lines[i], segments_of(group, i));
  return lines;
}

/// Room for fibres along these lines: hair has millions of springs, and vectors that grow take twice as much.
void reserve(std::span<const CentreLine> lines, FibreParts& out) {
  std::size_t particles = out.particles.size(), springs = out.springs.size();
  for (const CentreLine& line : lines) {
    const int segments = static_cast<int>(line.points.size()) - 1;
    particles += static_cast<std::size_t>(fibre::particles(segments));
    springs += static_cast<std::size_t>(std::max(0, fibre::springs(segments)));
  }
  out.particles.position.reserve(particles);
  out.particles.velocity.reserve(particles);
  out.particles.mass.reserve(particles);
  out.particles.pinned.reserve(particles);
  out.springs.reserve(springs);
}

/// Adds pinned particles.
void add_surface(const HeadSurface& surface, FibreParts& out) {
  const int first = static_cast<int>(out.particles.size());
  for (const Vector3d& x : surface.points) {
    out.particles.position.push_back({x.x(), x.y(), x.z()});
    out.particles.velocity.push_back({0, 0, 0});
    out.particles.mass.push_back(1);
    out.particles.pinned.push_back(true);
  }
  for (const Triangle& t : surface.triangles)
    out.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

struct HeldEnds {
  bool root = true, tip = false;
};
HeldEnds held_ends(const Values& group) {
  const std::string held = group.text("held");
  return {held != "nothing", held == "both ends"};
}

void add_fibre(const FibreShape& shape, HeldEnds held, double damping,
               const std::array<double, 3>& tip_velocity, FibreParts& out) {
  const int first = static_cast<int>(out.particles.size());
  out.strands.push_back({first, shape.segments + 1});
  for (std::size_t i = 0; i < shape.position.size(); ++i) {
    out.particles.position.push_back({shape.position[i].x(), shape.position[i].y(), shape.position[i].z()});
    const bool at_tip = i + fibre::corners >= shape.position.size();
    const bool pinned = (held.root && i < fibre::corners) || (held.tip && at_tip);
    out.particles.velocity.push_back(at_tip && !pinned ? tip_velocity : std::array<double, 3>{0, 0, 0});
    out.particles.mass.push_back(shape.mass[i]);
    out.particles.pinned.push_back(pinned);
  }
  for (Spring spring : shape.springs) {
    spring.first += first;
    spring.second += first;
    spring.damping = damping * spring.stiffness;
    out.springs.push_back(spring);
  }
}

/// Each particle has the drag of half the segments at its cross-section, a quarter of that.
void add_air(const CentreLine& line, int first, double drag, FibreParts::Air& out) {
  for (std::size_t i = 1; i < line.points.size(); ++i) {
    double length = (line.points[i] - line.points[i - 1]).norm();
    if (i + 1 < line.points.size()) length += (line.points[i + 1] - line.points[i]).norm();
    for (int corner = 0; corner < fibre::corners; ++corner)
      out.coefficients.emplace_back(first + fibre::particle(static_cast<int>(i), corner),
                                    drag * length / (2 * fibre::corners));
  }
}

}  // namespace

std::vector<Key> fibre_keys() {
  using enum ValueType;
  return {
      count("count", "fibres", 1, 1, 1e7),
      {.name = "file",
       .type = text,
       .help = "of their lines: .csv (columns fibre, x, y, z, and thickness if it has that), .hair or .data, "
               "relative to the scene file",
       .fallback_help = "they are grown"},
      positive("file_scale", "m", "one unit of length in that file", 1.0),
      {.name = "segments",
       .type = pair,
       .help = "the least and the most of a fibre; they have them in turn. Lines from a file are resampled",
       .fallback = std::array<std::int64_t, 2>{8, 8}},
      positive("length", "m", "of a fibre", 0.15),
      share("length_spread", "lengths differ by up to this part of the length", 0.0),
      positive("thickness", "m", "of the square cross-section at the root, side to side", 9e-5),
      positive("tip_thickness", "m", "at the tip", 4e-5),
      not_negative("curl_radius", "m", "of the helix around the line that they would follow; 0: straight",
                   0.0),
      positive("curl_pitch", "m", "of that helix along the line, for each turn", 0.03),
      positive("young", "Pa", "Young's modulus", 3.6e9),
      positive("torsion", "Pa", "torsion modulus; at most 1.33 times Young's modulus", 1e9),
      positive("density", "kg/m³", "of the material", 1320.0),
      not_negative(
          "damping", "s",
          "dashpots beside the springs, over their stiffness: Rayleigh damping that turns with the fibre",
          0.0),
      not_negative("drag", "N s/m²", "of the air, for each metre of fibre and m/s", 0.0),
      direction_key("wind", "m/s", "velocity of the air", {0, 0, 0}),
      {.name = "held",
       .type = text,
       .help = "which cross-sections are pinned: hair is held at its root, a rod by nothing",
       .fallback = std::string("root"),
       .choices = {"root", "both ends", "nothing"}},
      {.name = "roots",
       .type = text,
       .help = "whether they grow on a disc, on the scalp of a head, or lie in a stack of layers",
       .fallback = std::string("disc"),
       .choices = {"disc", "head", "stack"}},
      direction_key("centre", "m", "of the disc, the head, or the lowest layer of the stack", {0, 0, 0}),
      positive("spacing", "m", "of fibres in a stack, within a layer and from one to the next", 0.01),
      count("layer", "fibres in a layer of a stack", 4, 1, 1e5),
      direction_key("direction", "", "in which they grow, across the disc", {0, 0, -1}),
      positive("radius", "m", "of the disc", 0.01),
      direction_key("head_radii", "m",
                    "half the width, depth and height of the head, whose face looks along −y",
                    {0.075, 0.095, 0.115}),
      {.name = "comb",
       .type = text,
       .help = "how hair lies on a head: loose, some of it in other hair, or in layers in which none is",
       .fallback = std::string("loose"),
       .choices = {"loose", "layers"}},
      not_negative(
          "repulsion", "N/m",
          "κ of the head that they grow on: it pushes their centre lines away where they come nearer than "
          "the range d, by κ(d − gap)²/d; 0: it does not",
          0.0),
      positive("repulsion_range", "m", "d", 0.0015),
      {.name = "start",
       .type = text,
       .help = "whether the shape as grown is that without weight, or that in which they hang at rest under "
               "gravity",
       .fallback = std::string("weightless"),
       .choices = {"weightless", "hanging"}},
      direction_key("blow", "m/s", "velocity of the last cross-section of each at the start", {0, 0, 0}),
      count("seed", "of the random numbers by which fibres differ", 1, 0, 2147483647),
  };
}

void add_fibres(const Values& group, const Surroundings& around, FibreParts& out) {
  group.check_complete();
  if (!group.given("file"))
    check_memory(group.integer("count"),
                 1 + 0.5 * static_cast<double>(segments_of(group, 0) + group.pair("segments")[1]));
  const std::vector<CentreLine> lines =
      group.given("file") ? lines_from_file(group, around.files) : grown_lines(group);
  check_roots_apart(lines);
  const FibreMaterial material{group.number("young"), group.number("torsion"), group.number("density")};
  const std::array<double, 3> blow = group.vector("blow");
  const bool hanging = group.text("start") == "hanging";
  const HeldEnds held = held_ends(group);
  const double damping = group.number("damping"), drag = group.number("drag");
  reserve(lines, out);
  FibreParts::Air air{{}, drag > 0 ? as_vector(group.vector("wind")) : Vector3d::Zero()};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    FibreShape shape = make_fibre(lines[i], material, i);
    if (hanging) hang_as_drawn(shape, as_vector(around.gravity), i);
    if (drag > 0) add_air(lines[i], static_cast<int>(out.particles.size()), drag, air);
    add_fibre(shape, held, damping, blow, out);
  }
  if (drag > 0) out.drag.push_back(std::move(air));
  const bool on_head = !group.given("file") && group.text("roots") == "head";
  if (group.number("repulsion") > 0 && !on_head)
    throw InputError("'repulsion' is that of the head which fibres grow on; these grow on none");
  if (!on_head) return;
  const Head head{as_vector(group.vector("centre")), as_vector(group.vector("head_radii"))};
  add_surface(surface(head), out);
  if (group.number("repulsion") > 0)
    out.heads.push_back(
        {head,
         {.stiffness = group.number("repulsion"), .range = group.number("repulsion_range"), .watched = false},
         group.number("thickness") / 2,
         out.strands.size() - lines.size(),
         lines.size()});
}

void add_sections(std::span<const Strand> strands, int first_section, double radius,
                  const ParticleSystem& system, ContactBalls& out) {
  const auto rank = [&](int particle) { return system.rank()[static_cast<std::size_t>(particle)]; };
  for (const Strand& strand : strands)
    for (int section = first_section; section < strand.sections; ++section) {
      const int first = strand.first_particle + fibre::corners * section;
      out.all.push_back({.corners = {rank(first), rank(first + 1), rank(first + 2), rank(first + 3)},
                         .count = fibre::corners,
                         .radius = radius});
    }
}

void add_heads(Body& body) {
  auto& system = dynamic_cast<ParticleSystem&>(*body.system);
  for (const SolidHead& head : body.heads) {
    ContactBalls sections;
    add_sections(std::span(body.strands).subspan(head.first_strand, head.strands), 1, head.radius, system,
                 sections);
    const int root = system.rank()[static_cast<std::size_t>(body.strands[head.first_strand].first_particle)];
    std::shared_ptr<const Motion> motion;
    for (const ParticleSystem::Group& group : system.motions())
      if (std::ranges::binary_search(group.particles, root)) motion = group.motion;
    const Obstacle solid(ellipsoid(head.head.centre, head.head.radii), motion);
    if (body.fibre_contact) body.fibre_contact->obstacles.push_back(solid);
    system.add(std::make_unique<ObstacleRepulsion>(std::vector{solid}, std::move(sections), head.law,
                                                   FrictionLaw{}, ContactResponse::repulsion));
  }
}

void add_drag(const FibreParts& parts, BodyBuilder& builder) {
  for (const FibreParts::Air& air : parts.drag) {
    std::vector<double> coefficients(parts.particles.size(), 0.0);
    for (const auto& [particle, coefficient] : air.coefficients)
      coefficients[static_cast<std::size_t>(builder.inner(particle))] = coefficient;
    builder.add(std::make_unique<AirDrag>(std::move(coefficients), air.wind));
  }
}

}  // namespace stiffly
