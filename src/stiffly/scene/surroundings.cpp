#include "stiffly/scene/surroundings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "stiffly/error.hpp"
#include "stiffly/forces/force_field.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"
#include "stiffly/forces/wind.hpp"
#include "stiffly/scene/expression.hpp"
#include "stiffly/system/particle_system.hpp"
#include "stiffly/system/rigid_motion.hpp"

namespace stiffly {
namespace {

/// Three functions of time.
class VectorExpression {
 public:
  /// The keys x, y, z after `prefix`; their values must be finite up to `duration`.
  VectorExpression(const Values& values, double duration, const std::string& prefix = "")
      : axes_{read(values, prefix + "x", duration), read(values, prefix + "y", duration),
              read(values, prefix + "z", duration)} {}

  Eigen::Vector3d value(double t) const {
    return {axes_[0].at(t).value, axes_[1].at(t).value, axes_[2].at(t).value};
  }
  Eigen::Vector3d rate(double t) const {
    return {axes_[0].at(t).rate, axes_[1].at(t).rate, axes_[2].at(t).rate};
  }
  /// Nothing but zeros, at any time.
  bool is_zero() const { return !depends_on_time() && value(0).isZero(0); }
  bool depends_on_time() const {
    return std::any_of(axes_.begin(), axes_.end(), [](const Expression& e) { return e.depends_on_time(); });
  }

 private:
  static Expression read(const Values& values, const std::string& key, double duration) try {
    const Expression expression(values.text(key));
    constexpr int looks = 1000;
    for (int i = 0; i <= looks; ++i) {
      const double t = duration * i / looks;
      const Dual d = expression.at(t);
      if (!std::isfinite(d.value) || !std::isfinite(d.rate))
        throw InputError(
            fmt::format("\"{}\" or its derivative is not finite at t = {} s", values.text(key), t));
    }
    return expression;
  } catch (const InputError& error) {
    refuse(values.origin(key), fmt::format("'{}' in {}: {}", key, values.section().title(), error.what()));
  }

  std::array<Expression, 3> axes_;
};

/// x = pivot + shift(t) + exp([rotation(t)]_×)(start − pivot)
class ExpressionMotion final : public Motion {
 public:
  ExpressionMotion(VectorExpression shift, VectorExpression rotation, const Eigen::Vector3d& pivot)
      : shift_(std::move(shift)), rotation_(std::move(rotation)), pivot_(pivot) {}

  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    place_rigidly({shift_.value(t), rotation_.value(t), shift_.rate(t), rotation_.rate(t)}, pivot_, start, x,
                  v);
  }

 private:
  VectorExpression shift_, rotation_;
  Eigen::Vector3d pivot_;
};

std::vector<Keyframe> keyframes(const Values& motion) {
  std::vector<Keyframe> out;
  for (const double time : motion.numbers("times")) out.push_back({.time = time});
  const auto fill = [&](const char* key, Eigen::Vector3d Keyframe::*member) {
    if (!motion.given(key)) return;
    const auto vectors = motion.vectors(key);
    if (vectors.size() != out.size())
      refuse(motion.origin(key),
             fmt::format("'{}' in [[motion]] has {} entries for {} times", key, vectors.size(), out.size()));
    for (std::size_t i = 0; i < out.size(); ++i) out[i].*member = Eigen::Vector3d::Map(vectors[i].data());
  };
  fill("shifts", &Keyframe::shift);
  fill("rotations", &Keyframe::rotation);
  return out;
}

std::shared_ptr<const Motion> read_motion(const Values& motion, double duration) {
  const auto first_given = [&](std::initializer_list<const char*> keys) -> const char* {
    for (const char* key : keys)
      if (motion.given(key)) return key;
    return nullptr;
  };
  const char* frames = first_given({"times", "shifts", "rotations"});
  const char* expression = first_given({"x", "y", "z", "rotation_x", "rotation_y", "rotation_z"});
  if (frames && expression)
    refuse(motion.origin(expression),
           fmt::format("a [[motion]] goes through keyframes ('{}') or follows expressions ('{}'), not both",
                       frames, expression));
  const auto pivot = [&] { return Eigen::Vector3d(Eigen::Vector3d::Map(motion.vector("pivot").data())); };
  if (expression) {
    const VectorExpression rotation(motion, duration, "rotation_");
    return std::make_shared<ExpressionMotion>(VectorExpression(motion, duration), rotation,
                                              rotation.is_zero() ? Eigen::Vector3d::Zero() : pivot());
  }
  if (!motion.given("times"))
    refuse(frames ? motion.origin(frames) : motion.origin(),
           "[[motion]] needs 'times' (of keyframes, with 'shifts' or 'rotations'), or 'x', 'y', 'z', "
           "'rotation_x', … (expressions of t)");
  std::vector<Keyframe> path = keyframes(motion);
  try {
    return std::make_shared<KeyframeMotion>(std::move(path), pivot());
  } catch (const InputError& error) {
    refuse(motion.origin("times"), fmt::format("'times' in [[motion]]: {}", error.what()));
  }
}

std::vector<int> as_indices(const std::vector<std::int64_t>& numbers) {
  std::vector<int> out;
  for (const std::int64_t n : numbers) out.push_back(static_cast<int>(std::min<std::int64_t>(n, 1 << 30)));
  return out;
}

void add_motions(const SceneFile& file, ParticleSystem& system) {
  std::vector<bool> named(system.particles(), false);
  for (const Values& motion : file.motions)
    if (motion.given("particles"))
      for (const int particle : as_indices(motion.integers("particles")))
        if (static_cast<std::size_t>(particle) < named.size())
          named[static_cast<std::size_t>(particle)] = true;
  for (const Values& motion : file.motions) {
    std::vector<int> particles;
    if (motion.given("particles")) {
      particles = as_indices(motion.integers("particles"));
    } else {
      for (std::size_t r = system.free_particles(); r < system.particles(); ++r)
        if (const int particle = system.order()[r]; !named[static_cast<std::size_t>(particle)])
          particles.push_back(particle);
    }
    if (particles.empty())
      refuse(motion.origin("particles"), "[[motion]] has nothing to move: no particle is pinned");
    const auto path = read_motion(motion, file.simulation.number("duration"));
    try {
      system.prescribe(particles, path);
    } catch (const InputError& error) {
      refuse(motion.origin("particles"), error.what());
    }
  }
}

void add_fields(const SceneFile& file, ParticleSystem& system) {
  for (const Values& field : file.fields) {
    const VectorExpression strength(field, file.simulation.number("duration"));
    std::vector<double> charges(system.particles(), 1.0);
    if (field.text("acts_as") == "acceleration")
      charges.assign(system.masses().begin(), system.masses().end());
    if (strength.depends_on_time())
      system.add(std::make_unique<ForceField>([strength](double t) { return strength.value(t); },
                                              std::move(charges)));
    else
      system.add(std::make_unique<ForceField>(strength.value(0), std::move(charges)));
  }
}

/// Whether K has a direction of negative stiffness, beyond round-off.
bool indefinite(BlockMatrix K) {
  const std::vector<double> diagonal = K.diagonal();
  const double largest = *std::max_element(diagonal.begin(), diagonal.end());
  if (!(largest > 0)) return std::any_of(diagonal.begin(), diagonal.end(), [](double d) { return d < 0; });
  K.add_diagonal(1e-9 * largest, std::vector<double>(diagonal.size(), 1.0));
  try {
    SparseCholesky().factorize(K);
  } catch (const NotPositiveDefinite&) {
    return true;
  }
  return false;
}

void add_damping(const Values& damping, ParticleSystem& system) {
  const double alpha = damping.number("mass_factor"), beta = damping.number("stiffness_factor");
  if (alpha == 0 && beta == 0) return;
  std::vector<Force*> elastic;
  for (const auto& force : system.forces())
    if (!dynamic_cast<const WindForce*>(force.get())) elastic.push_back(force.get());
  const std::vector<Point> positions = system.positions(system.initial_state());
  std::vector<double> x;
  for (const int particle : system.order()) {
    const Point& point = positions[static_cast<std::size_t>(particle)];
    x.insert(x.end(), point.begin(), point.end());
  }
  BlockMatrix K = stiffness_of_all_particles(elastic, x);
  if (beta > 0 && indefinite(K))
    refuse(
        damping.origin("stiffness_factor"),
        "the stiffness at the start has directions in which it is negative (compressed springs): damping in "
        "proportion to it would drive the motion; use 'mass_factor', or start from a shape at rest");
  system.add(std::make_unique<RayleighDamping>(alpha, beta, system.mass(), std::move(K)));
}

/// Where the file first asks for something that only particles can have.
std::optional<Origin> first_influence(const SceneFile& file) {
  for (const Key& key : file.damping.section().keys)
    if (file.damping.given(key.name)) return file.damping.origin(key.name);
  for (const auto* list : {&file.fields, &file.motions})
    if (!list->empty()) return list->front().origin();
  return std::nullopt;
}

}  // namespace

void add_surroundings(const SceneFile& file, Body& body) {
  const std::optional<Origin> first = first_influence(file);
  if (!first) return;
  auto* system = dynamic_cast<ParticleSystem*>(body.system.get());
  if (!system)
    refuse(*first, fmt::format("[damping], [[field]] and [[motion]] act on particles in space, which the "
                               "model \"{}\" does not have",
                               file.model.section().kind));
  add_damping(file.damping, *system);
  add_fields(file, *system);
  add_motions(file, *system);
  system->finish();
}

}  // namespace stiffly
