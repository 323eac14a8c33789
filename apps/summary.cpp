#include "summary.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/text.hpp"

namespace stiffly::app {
namespace {

std::string work(const Counters& c) {
  std::string out;
  const auto add = [&](std::int64_t count, const char* one, const char* many) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(c.force, "force", "forces");
  add(c.product, "product", "products");
  add(c.tangent, "tangent", "tangents");
  add(c.factorization, "factorization", "factorizations");
  add(c.solve, "solve", "solves");
  add(c.inner, "inner iteration", "inner iterations");
  return out;
}

/// Where it went and came from, and what of it is an error. A run without a folder keeps no books where
/// something damps or drives it.
std::vector<std::string> energy_lines(const RunReport& r) {
  const EnergyBalance& b = r.balance;
  if (!b.kept) return {"damped or driven: the balance is kept where results are written (-o DIR)"};
  std::vector<std::string> out;
  for (const auto& [name, joule] : b.dissipated)
    out.push_back(
        fmt::format("{:.6g} J {} {}", std::abs(joule), joule < 0 ? "brought in by" : "dissipated by", name));
  for (const auto& [name, joule] : {std::pair{"supports", b.end.supports}, std::pair{"fields", b.end.fields}})
    if (joule != 0)
      out.push_back(fmt::format("{:.6g} J {} by {} that change", std::abs(joule),
                                joule < 0 ? "taken out" : "brought in", name));
  out.push_back(
      fmt::format("numerical error of at most {:.3g} J{}", b.max_error,
                  r.energy_scale() > 0
                      ? fmt::format(" ({:.2g} % of {})", 100 * b.max_error / r.energy_scale(),
                                    r.energy_scale() > r.max_kinetic_energy ? "what was dissipated"
                                                                            : "the largest kinetic energy")
                      : ""));
  return out;
}

}  // namespace

std::string summary_table(const RunReport& r) {
  const SimulationSummary& s = r.summary;
  std::string out;
  const auto row = [&](const char* name, const std::string& value) {
    out += fmt::format("  {:<14}{}\n", name, value);
  };
  row("scene", r.scene == r.kind ? r.scene : fmt::format("{} ({})", r.scene, r.kind));
  row("unknowns", r.particles
                      ? fmt::format("{} ({} particles, {} springs)", r.unknowns, r.particles, r.springs)
                      : fmt::format("{}", r.unknowns));
  std::vector<std::string> methods;
  for (const ChoiceRecord& c : r.choices) methods.push_back(c.integrator);
  row("integrator",
      methods.empty() ? r.integrator : fmt::format("{} ({})", r.integrator, sequence_text(methods)));
  if (!r.evaluator.empty()) {
    const bool chosen = !s.phi.evaluator.empty() && s.phi.evaluator != r.evaluator;
    row("evaluator", chosen ? fmt::format("{} ({})", r.evaluator, s.phi.evaluator) : r.evaluator);
  }
  const std::string length = r.tolerance > 0 ? fmt::format("chosen for a tolerance of {:g}", r.tolerance)
                                             : fmt::format("of {:g} s", r.step);
  row("steps", fmt::format("{} {}{}", s.steps, length,
                           s.rejected_steps ? fmt::format(", {} rejected", s.rejected_steps) : ""));
  if (r.error_search && r.status == RunStatus::done)
    row("error",
        fmt::format("{:.2g} of the motion or less (asked for {:g}), by {} runs", r.error_search->estimate(),
                    r.error_search->bound(), r.error_search->runs().size()));
  else if (r.tolerance > 0)
    row("error", "not known: a tolerance bounds what each step adds. --error bounds the result");
  row("simulated", fmt::format("{:.6g} s in {}", s.simulated_seconds, duration_text(s.wall_seconds)));
  if (s.simulated_seconds > 0)
    row("speed", fmt::format("{} per simulated second", duration_text(s.wall_seconds / s.simulated_seconds)));
  row("energy", fmt::format("{:.6g} J → {:.6g} J", s.initial_energy, s.final_energy));
  for (const std::string& line : energy_lines(r)) row("", line);
  if (const std::string done = work(s.counters); !done.empty()) row("work", done);
  row("memory", fmt::format("{:.0f} MiB at most", static_cast<double>(r.peak_memory_bytes) / (1 << 20)));
  return out;
}

}  // namespace stiffly::app
