#include "stiffly/results/run_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/contact/contact_projection.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/motion_scale.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

constexpr double worth_a_word = 0.01;  ///< of the energy in motion, of the spin, of the frames

std::string remedy(const RunReport& r) {
  return r.tolerance > 0 ? "a smaller tolerance, or an integrator that keeps it (energy-momentum, newmark)"
                         : "a smaller step, or a tolerance instead of a step";
}

/// What a tolerance allows is no news.
double allowed(const RunReport& r) { return std::max(worth_a_word, 1.5 * r.tolerance); }

/// What rounding alone may do to the energy of a body over the run, J: below, nothing moves.
double roundoff(const Scene& scene, const RunReport& r) {
  return static_cast<double>(r.summary.steps) *
         MotionScale(scene.system(), scene.body.start).energy_roundoff();
}

void energy_of_method(const RunReport& r, Warnings& out) {
  const double scale = r.energy_scale();
  const char* of_what = scale > r.max_kinetic_energy ? "of what was dissipated" : "of what is in motion";
  if (const double lost = r.summary.energy_given_up; lost > worth_a_word * scale)
    out.push_back(
        {"energy-given-up",
         fmt::format("{:.3g} J were lost in steps that shorter ones did not improve, {:.2g} % {}: "
                     "vibrations too fast for the steps were damped; try another integrator, or constant "
                     "steps that resolve them",
                     lost, 100 * lost / scale, of_what)});
  else if (r.balance.kept && !(std::abs(r.balance.error) <= allowed(r) * scale + r.balance.unresolved))
    out.push_back(
        {"energy-error", fmt::format("the method has {} {:.3g} J of energy, {:.2g} % {}: try {}",
                                     r.balance.error < 0 ? "lost" : "made", std::abs(r.balance.error),
                                     100 * std::abs(r.balance.error) / scale, of_what, remedy(r))});
}

void spin_of_method(const Scene& scene, const RunReport& r, Warnings& out) {
  const auto* particles = dynamic_cast<const ParticleSystem*>(&scene.system());
  if (!particles || !particles->keeps_spin()) return;
  // The most that bodies of this size can have at these speeds: |L|² ≤ Σm|x|² Σm|v|².
  const double change = r.momentum.angular.max_change, most = r.momentum.largest_angular;
  if (!(change <= allowed(r) * most))
    out.push_back({"angular-momentum-error",
                   fmt::format("the method has changed the angular momentum by {:.3g} N m s, {:.2g} % of the "
                               "most that this motion can have, although no torque acts on the body: try {}",
                               change, 100 * change / most, remedy(r))});
}

void limit_of_stability(const RunReport& r, Warnings& out) {
  const SimulationSummary& s = r.summary;
  constexpr long few_steps = 20;
  if (find_method(r.integrator).automatic || s.steps < few_steps || 2 * s.steps_at_limit < s.steps) return;
  out.push_back({"stability-limit",
                 fmt::format("{} of {} steps were limited by the stability of {}, not by the tolerance: an "
                             "implicit or exponential integrator, or \"auto\", may take far longer ones",
                             s.steps_at_limit, s.steps, r.integrator)});
}

void overlaps(const RunReport& r, Warnings& out) {
  if (!r.summary.contact || r.summary.contact->deepest == 0) return;
  out.push_back({"penetration",
                 fmt::format("things were up to {:.3g} m inside each other at the end of steps: raise "
                             "'stiffness' in [contact], or take {}",
                             r.summary.contact->deepest,
                             r.tolerance > 0 ? "a smaller tolerance" : "shorter steps, or a tolerance")});
}

void overlaps_left(const Scene& scene, const RunReport& r, Warnings& out) {
  const auto& did = r.summary.projection;
  if (!did || !scene.body.projection || did->deepest <= scene.body.projection->law().depth) return;
  out.push_back(
      {"penetration",
       fmt::format("things were left up to {:.3g} m inside each other, as putting them apart did not "
                   "end: take shorter steps, of fibres a shorter 'interval' in [contact]",
                   did->deepest)});
}

/// Obstacles that move, and supports, may bring about as much as is in motion then; of fibres it is known how
/// much.
void energy_of_contact(const RunReport& r, Warnings& out) {
  constexpr double by_far = 3;
  const auto& did = r.summary.projection;
  if (!did) return;
  const double brought = -did->taken - did->driven;
  if (brought <= by_far * r.max_kinetic_energy) return;
  out.push_back(
      {"contact-energy",
       fmt::format("putting things apart brought {:.3g} J in, {:.3g} times all that moved: what they do "
                   "while they touch is not to be trusted; take shorter steps, of fibres a shorter "
                   "'interval', 'measure = \"stiffness\"' or another 'response' in [contact]",
                   brought, brought / r.max_kinetic_energy)});
}

void blurred_frames(const FrameCheck& check, Warnings& out) {
  if (check.unresolved() == 0 ||
      static_cast<double>(check.unresolved()) < worth_a_word * static_cast<double>(check.interpolated()))
    return;
  out.push_back(
      {"frames-interpolated",
       fmt::format("{} of {} frames lie within steps that skip vibrations which carry energy: they follow a "
                   "smooth curve between the ends of the steps; take shorter steps, or fewer frames",
                   check.unresolved(), check.interpolated())});
}

}  // namespace

Warnings run_warnings(const Scene& scene, const RunReport& report, const FrameCheck* frames) {
  Warnings out;
  if (report.max_kinetic_energy > roundoff(scene, report)) {
    energy_of_method(report, out);
    spin_of_method(scene, report, out);
    energy_of_contact(report, out);
  }
  limit_of_stability(report, out);
  overlaps(report, out);
  overlaps_left(scene, report, out);
  if (report.steered)
    out.push_back({"steered",
                   "somebody pulled at the simulation while it ran: the result depends on that hand, and the "
                   "same command will not give it again"});
  if (frames) blurred_frames(*frames, out);
  return out;
}

}  // namespace stiffly
