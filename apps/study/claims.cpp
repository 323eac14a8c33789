#include "claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "candidates.hpp"
#include "stiffly/study/comparison_text.hpp"
#include "stiffly/study/convergence.hpp"
#include "stiffly/study/speedup.hpp"
#include "stiffly/text.hpp"

namespace stiffly::app {

using namespace study;
namespace {

/// A measured ratio counts as the published one from this part of it on.
constexpr double enough = 0.8;

/// One method against others at equal quality.
struct SpeedClaim {
  std::string scene;
  std::vector<std::string> settings;  ///< at both scales
  double error = 0.1;
  std::string norm = "displacement";
  std::string claimed = {};            ///< the method that is said to be faster, as published
  std::vector<std::string> also = {};  ///< others of its kind that might be
  struct Baseline {
    std::string name;
    /// Times slower than ours. None: a baseline that the papers do not have, which the verdict leaves out.
    std::optional<double> published;
  };
  std::vector<Baseline> baselines;
  std::string small_duration, full_duration;
  /// Methods of the reference, where the program has them all; empty: the usual ones.
  std::vector<std::string> reference = {};
};

std::string joined(const std::vector<std::string>& parts, const char* before) {
  std::string out;
  for (const std::string& part : parts) out += before + part;
  return out;
}

const ComparisonEntry& entry_of(const Comparison& c, const std::string& name) {
  return *std::find_if(c.entries.begin(), c.entries.end(), [&](const auto& e) { return e.name == name; });
}

std::string says(const ComparisonEntry& e) {
  if (e.verdict == Verdict::pass)
    return fmt::format(
        "{} h = {:.3g} s, {} per simulated second{}", e.name, e.chosen.setting,
        duration_text(e.chosen.seconds_per_simulated()),
        e.fastest.setting == e.chosen.setting
            ? ""
            : fmt::format(" ({} at h = {:.3g} s)", duration_text(e.cost()), e.fastest.setting));
  if (std::isfinite(e.best_error) || e.verdict == Verdict::fail)
    return fmt::format("{} did not meet the bound (best error {:.2g} at {:.2g}; {})", e.name, e.best_error,
                       e.best_setting, e.verdict == Verdict::fail ? e.chosen.failure : "out of time");
  const auto cut_off = std::ranges::count_if(e.trials, &Measurement::out_of_time);
  return fmt::format("none of {} runs of {} came to its end ({} failed, {} were cut off)", e.trials.size(),
                     e.name, std::ssize(e.trials) - cut_off, cut_off);
}

/// How many times slower than the method every baseline is, in words, and what that says of all of them.
std::pair<std::string, Standing> ratios(const SpeedClaim& claim, const Comparison& c,
                                        const std::string& method) {
  std::vector<std::string> parts;
  Standing all = Standing::holds;
  for (const auto& [name, published] : claim.baselines) {
    const Speedup measured = speedup(entry_of(c, method), entry_of(c, name));
    parts.push_back(fmt::format("{} {}", name, describe(measured)));
    if (!published) continue;
    parts.back() += fmt::format(" (published {:.2g})", *published);
    all = std::min(all, standing(measured, enough * *published));
  }
  return {fmt::format("times slower than {}: {}", method, fmt::join(parts, ", ")), all};
}

Finding judge(const SpeedClaim& claim, const Comparison& c) {
  std::vector<std::string> said;
  for (const ComparisonEntry& e : c.entries) said.push_back(says(e));
  const auto [text, as_published] = ratios(claim, c, claim.claimed);
  std::string verdict = as_published == Standing::holds  ? "confirmed"
                        : as_published == Standing::open ? "undecided"
                                                         : "not confirmed";
  said.push_back(text);
  for (const std::string& name : claim.also) {
    const auto [more, that_fast] = ratios(claim, c, name);
    said.push_back(more);
    if (that_fast == Standing::holds && !verdict.starts_with("confirmed"))
      verdict = "confirmed only with " + name;
  }
  return {verdict,
          fmt::format("{}; amplitude of the motion {:.2g} of the body's size", fmt::join(said, "; "),
                      c.amplitude),
          {},
          comparison_json(c)};
}

bool has_sizes(const std::string& scene) {
  for (const SceneEntry& entry : scenes())
    if (entry.name == scene) return !entry.sizes.empty();
  return false;
}

/// Whether all are there: a program that was built without other libraries lacks some.
bool available(const std::vector<std::string>& methods) {
  const std::vector<std::string> peers = peer_names();
  return std::ranges::all_of(methods, [&](const std::string& name) {
    const auto& ours = integrators();
    return std::ranges::find(ours, name.substr(0, name.find_first_of(":+")), &IntegratorInfo::name) !=
               ours.end() ||
           std::ranges::find(peers, name) != peers.end();
  });
}

Finding measure(const SpeedClaim& claim, const ClaimScale& scale) {
  SceneStudyOptions o;
  o.scene = claim.scene;
  o.settings = claim.settings;
  if (has_sizes(claim.scene)) o.settings.push_back(scale.full ? "size=full" : "size=small");
  o.duration = scale.full ? claim.full_duration : claim.small_duration;
  o.error = claim.error;
  o.norm = claim.norm;
  o.agreement = 0.2;
  o.repeats = 1;
  o.time_limit = scale.time_limit;
  o.reference_limit = scale.reference_limit;
  if (available(claim.reference)) o.reference = claim.reference;
  o.integrators = {claim.claimed};
  o.integrators.insert(o.integrators.end(), claim.also.begin(), claim.also.end());
  for (const auto& baseline : claim.baselines) o.integrators.push_back(baseline.name);
  Finding found;
  try {
    Scene scene = load(o);
    const Candidates all = candidates(o, scene.simulation.options, {});
    const ReferencedScene at(o, std::move(scene));
    found = judge(claim, compare(o, at, all));
  } catch (const SimulationError& error) {
    found = {"undecided", fmt::format("no reference: {}", error.what()), {}};
  }
  found.command = fmt::format(
      "stiffly compare {}{} --integrators {} --error {:g} --norm {} --duration {} --agreement {:g} "
      "--repeats {} --time-limit {:g} --reference-limit {:g}{}",
      o.scene, joined(o.settings, " --set "), fmt::join(o.integrators, ","), o.error, o.norm, o.duration,
      o.agreement, o.repeats, o.time_limit, o.reference_limit,
      o.reference.empty() ? "" : fmt::format(" --reference {}", fmt::join(o.reference, ",")));
  return found;
}

Claim speed(std::string id, std::string group, std::string what, std::string published, SpeedClaim claim) {
  return {std::move(id), std::move(group), std::move(what), std::move(published),
          [claim = std::move(claim)](const ClaimScale& scale) { return measure(claim, scale); }};
}

/// The papers' evaluator, so that what is measured is what they describe.
std::string krylov(const std::string& integrator) { return integrator + "+phipm_simul_iom2"; }

/// Where no explicit method gets through, and Newton's method takes steps of milliseconds: two linearly
/// implicit ones, one of them of PETSc.
const std::vector<std::string> stiff_reference = {"ros3pl:tolerance", "petsc-rosw"};

/// The same where strains are unknowns, which those of energy-momentum are too.
const std::vector<std::string> mixed_reference = {"implicit-midpoint+mixed", "sdirk3+mixed",
                                                  "ros3pl:tolerance", "verlet"};

/// Errors of φ-functions and of stages that do for an error of some per cent.
const std::vector<std::string> visual_quality = {"phi_tolerance=1e-2", "phi_norm=smoothed"};
const std::vector<std::string> visual_stages = {"newton_tolerance=1e-4"};

/// The papers' Newton's method, and the best nonlinear solver that backward Euler can have here.
const std::string newton_euler = "backward-euler+line-search", best_euler = "backward-euler+mixed";

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// Light enough to tremble in many modes within a second, and moving so little that the papers' methods are
/// stable; `count` particles, or as many as the scale has.
Claim bunny(const std::string& id, const std::string& stiffness, const std::string& count, double gautschi,
            double newton) {
  std::vector<std::string> settings =
      with({"diagonal_stiffness=" + stiffness, "particle_mass=0.01", "gravity=[0,0,-0.01]"}, visual_quality);
  if (!count.empty()) settings.push_back("count=" + count);
  return speed(
      id, "table1",
      fmt::format("bunny, diagonals {} N/m{}, 10 %: epirk4s3 against Gautschi and backward Euler + Newton",
                  stiffness, count.empty() ? "" : ", " + count + " particles"),
      fmt::format("{:.2g}× and {:.2g}× faster", gautschi, newton),
      {.scene = "bunny",
       .settings = settings,
       .claimed = krylov("epirk4s3"),
       .also = {"exprb42", "pexprb43"},
       .baselines = {{krylov("gautschi"), gautschi}, {newton_euler, newton}},
       .small_duration = "1",
       .full_duration = "0.2",
       .reference = stiff_reference});
}

Claim tower(const std::string& id, const std::string& upper, double gautschi, double newton) {
  return speed(
      id, "table1",
      fmt::format("tower, upper part {} N/m, 10 %: epirk4s3 against Gautschi and backward Euler", upper),
      fmt::format("{:.2g}× and {:.2g}× faster", gautschi, newton),
      {.scene = "tower",
       .settings = with({"upper_stiffness=" + upper}, visual_quality),
       .norm = "position",
       .claimed = krylov("epirk4s3"),
       .also = {"exprb42", "pexprb43"},
       .baselines = {{krylov("gautschi"), gautschi}, {newton_euler, newton}},
       .small_duration = "2",
       .full_duration = "1",
       .reference = stiff_reference});
}

/// Hairs that do not touch each other: what a method takes is in proportion to their number, and a few of
/// them stand for all. At the small scale the first swing of the head, else all four seconds.
const std::vector<std::string> some_hairs = {"count=5"};

Claim hair() {
  return speed("4", "table1",
               "head shake (hair), a few of its fibres, 10 %: epirk4s3 against Gautschi and backward Euler",
               "34× and 89× faster",
               {.scene = "hair",
                .settings = with(some_hairs, visual_quality),
                .claimed = krylov("epirk4s3"),
                .also = {"exprb42", "pexprb43"},
                .baselines = {{krylov("gautschi"), 31. * 60 / 54}, {newton_euler, 80. * 60 / 54}},
                .small_duration = "0.9",
                .full_duration = "4",
                .reference = mixed_reference});
}

/// How many times slower than the exponential methods of papers 001 and 002 others are.
struct Table2Row {
  double imex, rk4, bdf;
};

Claim table2(const std::string& id, const std::string& what, const std::string& scene,
             const std::string& ours, const Table2Row& row, const std::string& small, const std::string& full,
             const std::vector<std::string>& settings = {},
             const std::vector<std::string>& reference = {"verlet", "ros3pl:tolerance", "petsc-rosw"}) {
  return speed(id, "table2", fmt::format("{}: {} against V-IMEX, RK4 and BDF-1", what, ours),
               fmt::format("{:.2g}×, {:.2g}× and {:.2g}× faster", row.imex, row.rk4, row.bdf),
               {.scene = scene,
                .settings = with(settings, visual_quality),
                .claimed = krylov(ours),
                .also = {ours},
                .baselines = {{"v-imex", row.imex}, {"rk4", row.rk4}, {newton_euler, row.bdf}},
                .small_duration = small,
                .full_duration = full,
                .reference = reference});
}

/// A few bristles that run over the teeth; they touch these, not each other.
const std::vector<std::string> some_bristles = {"model.count=3"};

Claim brushing() {
  return speed("5", "table1",
               "tooth brushing, a few bristles, 10 %: epirk4s3 against Gautschi and backward Euler",
               "22× and 68× faster",
               {.scene = "toothbrush",
                .settings = with(some_bristles, visual_quality),
                .claimed = krylov("epirk4s3"),
                .also = {"exprb42", "pexprb43"},
                .baselines = {{krylov("gautschi"), 360. / 16}, {newton_euler, 18. * 60 / 16}},
                .small_duration = "0.012",
                .full_duration = "0.3",
                .reference = mixed_reference});
}

Claim bacteria() {
  return speed("6", "table1", "bacteria, 360 unknowns, 10 %: epirk4s3 against Gautschi and backward Euler",
               "4× and 23× faster",
               {.scene = "swimmer",
                .settings = visual_quality,
                .claimed = krylov("epirk4s3"),
                .also = {"exprb42", "pexprb43"},
                .baselines = {{krylov("gautschi"), 4}, {newton_euler, 23}},
                .small_duration = "0.05",
                .full_duration = "2",
                .reference = mixed_reference});
}

/// What is published for a method of the papers, asked of energy-momentum. Where stages are implicit, both
/// sides are solved to the same tolerance, and backward Euler is there with the better solver too.
Claim by_energy_momentum(const std::string& id, const std::string& group, const std::string& what,
                         SpeedClaim claim) {
  claim.settings = with(claim.settings, visual_stages);
  claim.claimed = "energy-momentum";
  std::vector<std::string> published;
  for (const auto& baseline : claim.baselines)
    published.push_back(fmt::format("{:.2g}×", *baseline.published));
  claim.baselines.push_back({best_euler, {}});
  if (claim.reference.empty()) claim.reference = mixed_reference;
  return speed(id + "-energy-momentum", group, what,
               fmt::format("{} faster (another method)", fmt::join(published, ", ")), std::move(claim));
}

Claim bunny_by_energy_momentum(const std::string& id, const std::string& stiffness, double newton) {
  return by_energy_momentum(
      id, "table1",
      fmt::format("bunny, diagonals {} N/m, 10 %: energy-momentum against backward Euler + Newton",
                  stiffness),
      {.scene = "bunny",
       .settings = {"diagonal_stiffness=" + stiffness, "particle_mass=0.01", "gravity=[0,0,-0.01]"},
       .baselines = {{newton_euler, newton}},
       .small_duration = "1",
       .full_duration = "1"});
}

Claim hair_by_energy_momentum() {
  return by_energy_momentum(
      "4", "table1", "head shake (hair), a few of its fibres, 10 %: energy-momentum against backward Euler",
      {.scene = "hair",
       .settings = some_hairs,
       .baselines = {{newton_euler, 80. * 60 / 54}},
       .small_duration = "0.9",
       .full_duration = "4"});
}

Claim table2_by_energy_momentum(const std::string& scene, double imex, double rk4, double bdf,
                                const std::string& full) {
  return by_energy_momentum(
      scene, "table2", fmt::format("{}, k = 1e6, 10 %: energy-momentum against V-IMEX, RK4 and BDF-1", scene),
      {.scene = scene,
       .settings = {},
       .baselines = {{"v-imex", imex}, {"rk4", rk4}, {newton_euler, bdf}},
       .small_duration = "1",
       .full_duration = full,
       .reference = {"verlet", "ros3pl:tolerance", "implicit-midpoint+mixed"}});
}

Claim fput_speed(const std::string& ours, double times) {
  return speed("fput-" + ours, "fput", fmt::format("FPUT, equal accuracy: {} against RK4", ours),
               fmt::format("about {:g} times faster", times),
               {.scene = "fput",
                .settings = {},
                .error = 1e-4,
                .norm = "displacement",
                .claimed = ours,
                .baselines = {{"rk4", times}},
                .small_duration = "10",
                .full_duration = "100"});
}

Finding paper_slopes(const ClaimScale&) {
  Finding found{"confirmed", "", "stiffly study precision"};
  double worst = 0;
  std::string where;
  for (const TestEquation& equation : paper_equations())
    for (const char* name : {"forward-euler", "explicit-midpoint", "rk4", "backward-euler",
                             "implicit-midpoint", "bdf2", "verlet"}) {
      const ErrorCurve curve =
          measure_errors(equation, name, halvings(equation.duration, 3, 14), {.newton_tolerance = 1e-13});
      const double off = std::abs(curve.slope() - curve.order);
      if (!(off <= worst)) worst = off, where = fmt::format("{} on {}", name, equation.name);
    }
  found.measured =
      fmt::format("slopes of seven methods on five equations: largest deviation from the order {:.2f} ({})",
                  worst, where);
  if (!(worst <= 0.15)) found.verdict = "not confirmed";
  return found;
}

}  // namespace

std::vector<Claim> claims() {
  return {
      bunny("0a", "1e8", "", 523. / 126, 3600. / 126),
      bunny("0b", "1e10", "", 728. / 127, 5400. / 127),
      bunny("0c", "1e12", "", 946. / 127, 8280. / 127),
      bunny("1a", "1e11", "1000", 7, 52),
      bunny("1b", "1e11", "4000", 269. / 58, 2580. / 58),
      bunny("1c", "1e11", "8000", 861. / 127, 7200. / 127),
      speed("2", "table1", "flag, area within 0.5 %: epirk4s3 against Gautschi and backward Euler",
            "8× and 72× faster",
            {.scene = "flag",
             .settings = visual_quality,
             .error = 0.005,
             .norm = "area",
             .claimed = krylov("epirk4s3"),
             .also = {"exprb42", "pexprb43"},
             .baselines = {{krylov("gautschi"), 8}, {newton_euler, 72}},
             .small_duration = "1",
             .full_duration = "0.1",
             .reference = {"verlet", "ros3pl:tolerance", "cvode-bdf"}}),
      bunny_by_energy_momentum("0a", "1e8", 3600. / 126),
      bunny_by_energy_momentum("0b", "1e10", 5400. / 127),
      bunny_by_energy_momentum("0c", "1e12", 8280. / 127),
      tower("3a", "1e2", 26. / 3, 100),
      tower("3b", "1e4", 11, 140),
      hair(),
      hair_by_energy_momentum(),
      brushing(),
      bacteria(),
      table2("coil-exprb42", "coil, k = 1e6", "coil", "exprb42", {13, 50, 68}, "1", "0.25"),
      table2("coil-pexprb43", "coil, k = 1e6", "coil", "pexprb43", {15, 59, 79}, "1", "0.25"),
      table2("dragon-exprb42", "dragon, k = 1e6", "dragon", "exprb42", {16, 53, 66}, "1", "0.1"),
      table2("dragon-pexprb43", "dragon, k = 1e6", "dragon", "pexprb43", {18, 59, 74}, "1", "0.1"),
      table2_by_energy_momentum("coil", 13, 50, 68, "0.25"),
      table2_by_energy_momentum("dragon", 16, 53, 66, "0.1"),
      table2("brushing", "brushing, a few bristles", "toothbrush", "exprb42", {13, 61, 83}, "0.012", "0.3",
             some_bristles),
      table2("crash", "crash, moderate", "crash", "exprb42", {12, 64, 79}, "0.1", "0.1", {},
             {"verlet", "rk4"}),
      fput_speed("exprb42", 4),
      fput_speed("pexprb43", 3),
      {"hauth-slopes", "hauth", "slopes of the work–precision diagrams are the orders", "order 1, 2, 2, 4",
       paper_slopes},
  };
}

}  // namespace stiffly::app
