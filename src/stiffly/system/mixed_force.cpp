#include "stiffly/system/mixed_force.hpp"

#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"

namespace stiffly {

void MixedForce::measure(double, ConstVectorView, ConstVectorView, std::span<double>) const {}
void MixedForce::follow(ConstVectorView, ConstVectorView, std::span<const double>, std::span<double>) const {}

void MixedForce::begin(const ForcePath& guess, double b_per_mu, double c_per_mu) {
  do_begin(guess, b_per_mu, c_per_mu);
  begun_ = true;
}

void MixedForce::do_begin(const ForcePath&, double, double) {}

void MixedForce::check_begun() const {
  if (touching() && !begun_)
    throw InputError(
        "MixedForce: with contact an iteration has to begin (begin) before its force is asked for");
}

void MixedForce::respond(const Compliance&) {}
void MixedForce::restart() {}

void MixedForce::freeze(const ForcePath& path, std::span<const double> strain, Tangent& out) {
  check_begun();
  ++system_->counters().tangent;
  add_effort(effort::tangent * effort::mixed * system_->force_effort());
  system_->counters().look();
  do_freeze(path, strain, out);
}

void MixedForce::force(const ForcePath& path, std::span<const double> strain, std::span<double> gap,
                       VectorView f) const {
  check_begun();
  add_effort(effort::mixed * system_->force_effort());
  system_->counters().look(++system_->counters().force);
  do_force(path, strain, gap, f);
}

double MixedForce::middle_time(const ForcePath& path) {
  return path.is_step() ? 0.5 * (path.start_time + path.time) : path.time;
}

void MixedForce::middle(const ForcePath& path, Vector& x) {
  x = Vector(path.x);
  if (path.is_step()) axpby(1 - path.theta, path.start_x, path.theta, x);
}

void MixedForce::do_freeze(const ForcePath& path, std::span<const double>, Tangent& out) {
  middle(path, middle_);
  system_->do_tangent(middle_time(path), middle_, path.v, out);
  if (path.is_step())
    for (double& value : out.stiffness.values()) value *= path.theta;
}

void MixedForce::do_force(const ForcePath& path, std::span<const double>, std::span<double>,
                          VectorView f) const {
  middle(path, middle_);
  system_->do_force(middle_time(path), middle_, path.v, f);
}

}  // namespace stiffly
