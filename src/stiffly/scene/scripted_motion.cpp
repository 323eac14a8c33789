#include "stiffly/scene/scripted_motion.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"
#include "stiffly/scene/vector_expression.hpp"
#include "stiffly/system/rigid_motion.hpp"

namespace stiffly {
namespace {

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
      refuse(motion.origin(key), fmt::format("'{}' in {} has {} entries for {} times", key,
                                             motion.section().title(), vectors.size(), out.size()));
    for (std::size_t i = 0; i < out.size(); ++i) out[i].*member = Eigen::Vector3d::Map(vectors[i].data());
  };
  fill("shifts", &Keyframe::shift);
  fill("rotations", &Keyframe::rotation);
  return out;
}

}  // namespace

std::vector<Key> motion_keys() {
  using enum ValueType;
  std::vector<Key> keys = {
      {.name = "times",
       .type = numbers,
       .unit = "s",
       .help = "of keyframes, ascending",
       .fallback_help = "none"},
      {.name = "shifts",
       .type = vectors,
       .unit = "m",
       .help = "at these times, from where particles start",
       .fallback_help = "none"},
      {.name = "rotations",
       .type = vectors,
       .unit = "rad",
       .help = "at these times, about the pivot: axis times angle, which may pass full turns",
       .fallback_help = "none"},
      {.name = "pivot",
       .type = vector,
       .unit = "m",
       .help = "a point on the axes of rotation, before it is shifted",
       .fallback = std::array<double, 3>{0, 0, 0}},
  };
  for (Key& key : expression_keys("m", "shift along")) keys.push_back(std::move(key));
  for (Key& key : expression_keys("rad", "rotation vector about the pivot, along", "rotation_"))
    keys.push_back(std::move(key));
  return keys;
}

std::shared_ptr<const Motion> scripted_motion(const Values& motion, double duration) {
  const auto first_given = [&](std::initializer_list<const char*> keys) -> const char* {
    for (const char* key : keys)
      if (motion.given(key)) return key;
    return nullptr;
  };
  const char* frames = first_given({"times", "shifts", "rotations"});
  const char* expression = first_given({"x", "y", "z", "rotation_x", "rotation_y", "rotation_z"});
  if (frames && expression)
    refuse(motion.origin(expression),
           fmt::format("{} goes through keyframes ('{}') or follows expressions ('{}'), not both",
                       motion.section().title(), frames, expression));
  const auto pivot = [&] { return Eigen::Vector3d(Eigen::Vector3d::Map(motion.vector("pivot").data())); };
  if (expression) {
    const VectorExpression rotation(motion, duration, "rotation_");
    return std::make_shared<ExpressionMotion>(VectorExpression(motion, duration), rotation,
                                              rotation.is_zero() ? Eigen::Vector3d::Zero() : pivot());
  }
  if (!frames) return nullptr;
  if (!motion.given("times"))
    refuse(motion.origin(frames),
           fmt::format("'{}' in {} needs 'times', of the keyframes", frames, motion.section().title()));
  std::vector<Keyframe> path = keyframes(motion);
  try {
    return std::make_shared<KeyframeMotion>(std::move(path), pivot());
  } catch (const InputError& error) {
    refuse(motion.origin("times"), fmt::format("'times' in {}: {}", motion.section().title(), error.what()));
  }
}

}  // namespace stiffly
