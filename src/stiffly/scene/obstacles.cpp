#include "stiffly/scene/obstacles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Core>

#include "stiffly/contact/closed_surface.hpp"
#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/error.hpp"
#include "stiffly/mesh/repair.hpp"
#include "stiffly/scene/fibre_group.hpp"
#include "stiffly/scene/model_tables.hpp"
#include "stiffly/scene/scripted_motion.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

Vector3d vector_of(const Values& values, const char* key) { return Vector3d::Map(values.vector(key).data()); }

/// A key without which this shape cannot be made.
const char* needed(const Values& obstacle, const char* key) {
  if (!obstacle.given(key))
    throw InputError(fmt::format("an [[obstacle]] of shape \"{}\" needs '{}'", obstacle.text("shape"), key));
  return key;
}

mesh::Mesh surface_from_file(const Values& obstacle, const NamedFiles& files) {
  mesh::Mesh surface = mesh::read_mesh(files.at(obstacle.text(needed(obstacle, "file"))));
  mesh::repair_surface(surface);
  const double scale = obstacle.number("file_scale");
  for (Vector3d& x : surface.points) x = scale * x + vector_of(obstacle, "point");
  return surface;
}

/// All particles at the start, as a ball around them.
struct Whereabouts {
  Vector3d centre = Vector3d::Zero();
  double radius = 0;

  explicit Whereabouts(std::span<const double> x) {
    if (x.empty()) return;
    const auto points = Eigen::Map<const Eigen::Matrix3Xd>(x.data(), 3, std::ssize(x) / 3);
    const Vector3d low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
    centre = (low + high) / 2;
    radius = (high - low).norm() / 2;
  }
};

struct ReadShape {
  std::shared_ptr<const SolidShape> solid;
  ObstacleSurface surface;
};

ReadShape read_shape(const Values& obstacle, const NamedFiles& files, const Whereabouts& body) try {
  const std::string shape = obstacle.text("shape");
  if (shape == "mesh") {
    mesh::Mesh read = surface_from_file(obstacle, files);
    ObstacleSurface surface{.triangles = read.triangles};
    for (const Vector3d& x : read.points) surface.points.push_back({x.x(), x.y(), x.z()});
    return {std::make_shared<ClosedSurface>(std::move(read.points), std::move(read.triangles)),
            std::move(surface)};
  }
  const Vector3d point = vector_of(obstacle, "point");
  if (shape == "half-space") {
    const Vector3d normal = vector_of(obstacle, "normal");
    std::shared_ptr<const SolidShape> solid = half_space(point, normal);
    const double way = solid->distance(body.centre).value;  // that the body may have to it
    return {std::move(solid), plane_surface(point, normal, body.centre, 3 * body.radius + std::abs(way))};
  }
  if (shape == "box") {
    const Vector3d half_sides = vector_of(obstacle, needed(obstacle, "sides")) / 2;
    return {cuboid(point, half_sides), box_surface(point, half_sides)};
  }
  const double radius = obstacle.number(needed(obstacle, "radius"));
  if (shape == "sphere") return {ball(point, radius), capsule_surface(point, point, radius)};
  const Vector3d end = vector_of(obstacle, needed(obstacle, "end"));
  return {capsule(point, end, radius), capsule_surface(point, end, radius)};
} catch (const InputError& error) {
  refuse(obstacle.origin(), error.what());
}

/// What keeps things inside: of a box each wall by itself.
std::vector<std::shared_ptr<const SolidShape>> hollow_solids(
    const Values& obstacle, const std::shared_ptr<const SolidShape>& hollow_shape) {
  if (obstacle.text("shape") != "box") return {hollow_shape};
  return walls(vector_of(obstacle, "point"), vector_of(obstacle, "sides") / 2);
}

/// Those of the file, each made of one solid or more, and where the file has them.
struct ReadObstacles {
  std::vector<Obstacle> all;
  std::vector<const Values*> origins;
};

/// What they look like goes to the body.
ReadObstacles read_obstacles(const SceneFile& file, const ParticleSystem& system, Body& body) {
  const Whereabouts whereabouts(system.start_positions());
  ReadObstacles out;
  for (const Values& obstacle : file.obstacles) {
    ReadShape shape = read_shape(obstacle, file.files(), whereabouts);
    std::vector<std::shared_ptr<const SolidShape>> solids = {shape.solid};
    if (obstacle.boolean("hollow")) {
      shape.solid = hollow(std::move(shape.solid));
      solids = hollow_solids(obstacle, shape.solid);
      for (Triangle& t : shape.surface.triangles)
        std::swap(t[1], t[2]);  // its front is what is seen from within
    }
    shape.surface.motion = scripted_motion(obstacle, file.simulation.number("duration"));
    shape.surface.solid = std::move(shape.solid);
    for (auto& solid : solids) {
      out.all.emplace_back(std::move(solid), shape.surface.motion);
      out.origins.push_back(&obstacle);
    }
    body.obstacles.push_back(std::move(shape.surface));
  }
  return out;
}

/// Of fibres the middles of cross-sections, and every other particle.
ContactBalls balls_of(const Body& body, const ParticleSystem& system, double radius) {
  ContactBalls out;
  add_sections(body.strands, 0, radius, system, out);
  std::vector<bool> within(system.particles(), false);
  for (const ContactBall& section : out.all)
    for (const int particle : section.particles()) within[static_cast<std::size_t>(particle)] = true;
  for (std::size_t i = 0; i < within.size(); ++i)
    if (!within[i]) out.all.push_back({.corners = {static_cast<int>(i)}, .radius = radius});
  return out;
}

/// Free balls that are inside an obstacle when the scene starts.
class StartOverlap {
 public:
  StartOverlap(std::span<const Obstacle> obstacles, std::span<const ContactBall> balls, std::size_t free)
      : shapes_(placed(obstacles, 0)) {
    for (const ContactBall& ball : balls)
      if (ball.is_free(free)) balls_.push_back(ball);
  }

  struct Deepest {
    double depth = 0;
    ContactBall ball = {};
    std::size_t obstacle = 0;
  };
  Deepest deepest(std::span<const double> x) const {
    Deepest out;
    for (const ContactBall& ball : balls_)
      for (std::size_t o = 0; o < shapes_.size(); ++o)
        if (const auto d = shapes_[o].within(ball.radius, ball.middle(x));
            d && ball.radius - d->value > out.depth)
          out = {ball.radius - d->value, ball, o};
    return out;
  }
  /// Each out of one obstacle after the other; they may meet the next.
  void push_apart(std::span<double> x) const {
    constexpr int rounds = 100;
    constexpr double past_rounding = 1e-12;
    for (int round = 0; round < rounds && deepest(x).depth > 0; ++round)
      for (const ContactBall& ball : balls_)
        for (const PlacedShape& shape : shapes_) {
          const Vector3d middle = ball.middle(x);
          if (const auto d = shape.within(ball.radius, middle))
            for (const int particle : ball.particles())
              Vector3d::Map(x.data() + 3 * particle) +=
                  (ball.radius - d->value + past_rounding * (1 + middle.norm())) * d->gradient;
        }
  }

 private:
  std::vector<PlacedShape> shapes_;
  std::vector<ContactBall> balls_;
};

void check_start(const SceneFile& file, const ReadObstacles& obstacles, std::span<const ContactBall> balls,
                 const ParticleSystem& system, Body& body) {
  const StartOverlap overlap(obstacles.all, balls, system.free_particles());
  const auto x = host(body.start.x());
  if (file.contact.boolean("push_apart")) overlap.push_apart({body.start.x().data(), x.size()});
  const StartOverlap::Deepest deepest = overlap.deepest(x);
  if (deepest.depth > 0)
    refuse(obstacles.origins[deepest.obstacle]->origin(),
           fmt::format("{} {} begins {:.4g} m inside this obstacle: move one of them{}",
                       deepest.ball.count > 1 ? "the cross-section of a fibre at particle" : "particle",
                       system.order()[static_cast<std::size_t>(deepest.ball.corners[0])], deepest.depth,
                       file.contact.boolean("push_apart")
                           ? "; it could not be pushed out, as obstacles overlap there"
                           : ", or set 'push_apart = true' in [contact]"));
}

}  // namespace

std::vector<Key> obstacle_keys() {
  using enum ValueType;
  std::vector<Key> keys = {
      {.name = "shape",
       .type = text,
       .help = "what it is; a mesh must be a closed surface",
       .required = true,
       .choices = {"half-space", "sphere", "capsule", "box", "mesh"}},
      {.name = "point",
       .type = vector,
       .unit = "m",
       .help = "on the plane of a half-space, centre of a sphere or a box, one end of a capsule's line; a "
               "mesh is "
               "shifted by it",
       .fallback = std::array<double, 3>{0, 0, 0}},
      {.name = "normal",
       .type = vector,
       .help = "of a half-space, of any length: where it points to is free",
       .fallback = std::array<double, 3>{0, 0, 1}},
      {.name = "radius",
       .type = number,
       .unit = "m",
       .help = "of a sphere or a capsule",
       .fallback_help = "none",
       .above = 0},
      {.name = "end",
       .type = vector,
       .unit = "m",
       .help = "the other end of a capsule's line",
       .fallback_help = "none"},
      {.name = "sides",
       .type = vector,
       .unit = "m",
       .help = "of a box, along the axes; a keyframe turns it",
       .fallback_help = "none"},
      {.name = "file",
       .type = text,
       .help = "of a mesh, any format of [model] kind \"mesh\", relative to the scene file",
       .fallback_help = "none"},
      positive("file_scale", "", "the file's lengths are multiplied by this to give metres", 1),
      {.name = "hollow",
       .type = boolean,
       .help = "whether it is the outside that is solid, as of a bowl; drawn are the walls that do not hide "
               "what is in it",
       .fallback = false},
  };
  for (Key& key : motion_keys()) keys.push_back(std::move(key));
  return keys;
}

std::vector<Key> contact_keys() {
  using enum ValueType;
  return {
      {.name = "stiffness",
       .type = number,
       .unit = "N/m",
       .help = "κ: what touches is pushed by κ times the range",
       .fallback_help = "needed where things can touch",
       .above = 0},
      {.name = "range",
       .type = number,
       .unit = "m",
       .help = "d: gaps below it are felt",
       .fallback_help = "needed where things can touch",
       .above = 0},
      {.name = "response",
       .type = text,
       .help = "what is done about contact. \"mixed\": gaps and slips are unknowns beside the strains, of "
               "methods "
               "that have those; others take the same law as a force. \"repulsion\": a force like any other. "
               "\"projection\": no force, but at the end of each step overlaps are put apart. \"barrier\": a "
               "force "
               "without end where things touch, and no iteration passes it, of methods whose steps end where "
               "Newton's method does",
       .fallback = "mixed",
       .choices = {"mixed", "repulsion", "projection", "barrier"}},
      {.name = "obstacle_response",
       .type = text,
       .help =
           "what is done about [[obstacle]]s, where that is something else than between bodies: fibres in "
           "batches can feel obstacles within their steps and be put apart from each other after them",
       .fallback_help = "as 'response'",
       .choices = {"mixed", "repulsion", "projection"}},
      {.name = "restitution",
       .type = number,
       .help = "of projections: things leave each other at so many times the speed at which they came",
       .fallback = 0.0,
       .at_least = 0,
       .at_most = 1},
      {.name = "depth",
       .type = number,
       .unit = "m",
       .help = "of projections: overlaps below it are left",
       .fallback_help = "1 % of the radius",
       .above = 0},
      {.name = "measure",
       .type = text,
       .help = "of projections, in which things move as little as can be: \"mass\" keeps momentum; "
               "\"stiffness\", M + hC + h²K over a step of h, deforms them less, at a solve for each contact",
       .fallback = "mass",
       .choices = {"mass", "stiffness"}},
      positive("interval", "s",
               "of projections of fibres that go in batches: they meet so often, and what touches is put "
               "apart",
               1e-3),
      {.name = "between",
       .type = text,
       .help = "what touches beside [[obstacle]]s: different bodies, or all, that is a body itself, too",
       .fallback = "nothing",
       .choices = {"nothing", "bodies", "all"}},
      not_negative("radius", "m",
                   "of every particle, as a ball; of segments and triangles between them half the "
                   "thickness",
                   0),
      not_negative("friction", "", "μ of Coulomb's law; 0: smooth", 0),
      positive("friction_speed", "m/s", "v₀: what should stick creeps by about as much", 1e-3),
      {.name = "push_apart",
       .type = boolean,
       .help = "whether particles that begin inside an obstacle are put onto its surface first, and bodies "
               "that begin inside each other apart",
       .fallback = false},
  };
}

namespace {

/// A promise about the way needs a method whose steps end where an iteration led.
void check_barrier(const SceneFile& file) {
  constexpr std::array methods = {"backward-euler", "sdirk2", "sdirk3", "tr-bdf2", "tr-bdf2-half"};
  const Values& simulation = file.simulation;
  if (std::ranges::find(methods, simulation.text("integrator")) == methods.end())
    refuse(simulation.origin("integrator"),
           fmt::format("a barrier needs a method whose steps end where Newton's method does: {}",
                       fmt::join(methods, ", ")));
}

}  // namespace

ContactLaws contact_laws(const SceneFile& file, const std::string& response, const Origin& needed_by) {
  if (response == "projection") {
    const double radius = file.contact.number("radius");
    if (!file.contact.given("depth") && radius == 0)
      refuse(needed_by, "where contact is projected away and 'radius' is 0, [contact] must have 'depth'");
    const double depth = file.contact.given("depth") ? file.contact.number("depth") : radius / 100;
    const ProjectionLaw law{
        file.contact.number("friction"), file.contact.number("restitution"), depth,
        file.contact.text("measure") == "stiffness" ? ProjectionMeasure::stiffness : ProjectionMeasure::mass};
    return {.repulsion = {1, std::max(radius, depth)},
            .friction = {},
            .response = ContactResponse::repulsion,
            .projection = law};
  }
  for (const char* key : {"stiffness", "range"})
    if (!file.contact.given(key))
      refuse(needed_by, fmt::format("where things can touch, [contact] must have '{}' ({})", key,
                                    file.contact.section().find(key)->help));
  if (response == "barrier") check_barrier(file);
  ContactLaws out{
      .repulsion = {file.contact.number("stiffness"), file.contact.number("range"), response == "barrier"},
      .friction = {.coefficient = file.contact.number("friction")},
      .response = response == "mixed" ? ContactResponse::mixed : ContactResponse::repulsion,
      .projection = std::nullopt};
  if (out.friction.coefficient > 0) out.friction.speed = file.contact.number("friction_speed");
  return out;
}

void check_clear(const Force& barrier, const ParticleSystem& system, const Body& body) {
  const std::span<const double> start = system.start_positions();
  std::vector<double> x(start.begin(), start.end()), v(start.size(), 0.0);
  system.place(0, body.start.x(), {}, x, v);
  if (!std::isfinite(barrier.energy({0, system.free_particles(), x, v})))
    throw InputError(
        "things begin in touch, or as good as, and behind a barrier there must be a gap: move "
        "one of them, or make 'radius' smaller");
}

FibreContactLaw& contact_of_fibres(const SceneFile& file, const ProjectionLaw& projection, Body& body) {
  if (!body.fibre_contact)
    body.fibre_contact = {.projection = projection,
                          .radius = file.contact.number("radius"),
                          .each_other = false,
                          .interval = file.contact.number("interval")};
  return *body.fibre_contact;
}

namespace {

/// A force is felt within its range. A projection leaves what rests on something at a gap of zero, or up to
/// `depth` inside, and what bounces or trembles a little above: a tenth of the radius is far below what can
/// be seen, and far above what such steps move it by.
double touched_within(const SceneFile& file, const ContactLaws& laws) {
  const double radius = file.contact.number("radius");
  return radius + (laws.projection ? radius / 10 + laws.projection->depth : laws.repulsion.range);
}

}  // namespace

void add_obstacles(const SceneFile& file, Body& body) {
  if (file.obstacles.empty()) return;
  auto& system = dynamic_cast<ParticleSystem&>(*body.system);
  const bool apart = file.contact.given("obstacle_response");
  const std::string response = file.contact.text(apart ? "obstacle_response" : "response");
  if (apart && file.contact.text("response") == "barrier")
    refuse(file.contact.origin("obstacle_response"),
           "with a barrier between bodies obstacles must be such, too: take this key away");
  const ContactLaws laws = contact_laws(file, response, file.obstacles.front().origin());
  ReadObstacles obstacles = read_obstacles(file, system, body);
  for (ObstacleSurface& surface : body.obstacles) surface.touched_within = touched_within(file, laws);
  ContactBalls balls = balls_of(body, system, file.contact.number("radius"));
  check_start(file, obstacles, balls.all, system, body);
  if (laws.projection && !body.strands.empty())
    contact_of_fibres(file, *laws.projection, body).obstacles = obstacles.all;
  try {
    add_contact(laws,
                std::make_unique<ObstacleRepulsion>(std::move(obstacles.all), std::move(balls),
                                                    laws.repulsion, laws.friction, laws.response),
                body);
  } catch (const InputError& error) {
    refuse(file.obstacles.front().origin(), error.what());
  }
}

}  // namespace stiffly
