#include "stiffly/results/run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stiffly/files/machine.hpp"

namespace stiffly {
namespace {

using Json = nlohmann::ordered_json;

Json object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json out = Json::object();
  for (const auto& [name, value] : pairs) out[name] = value;
  return out;
}

Json counters_json(const Counters& c) {
  return {{"force", c.force},     {"product", c.product},
          {"tangent", c.tangent}, {"factorization", c.factorization},
          {"solve", c.solve},     {"inner", c.inner}};
}

Json phi_json(const PhiReport& phi) {
  return {{"evaluator", phi.evaluator},           {"products", phi.products}, {"solves", phi.solves},
          {"factorizations", phi.factorizations}, {"substeps", phi.substeps}, {"rejected", phi.rejected},
          {"largest_basis", phi.largest_basis}};
}

/// What was asked for, what the result has, and how that was found.
Json error_json(const ErrorSearch& search) {
  Json out = {{"asked", search.bound()},
              {"estimated", search.estimate()},
              {"norm", name_of(bounded_norm)},
              {"runs", Json::array()}};
  for (const ErrorRun& run : search.runs())
    out["runs"].push_back({{"tolerance", run.tolerance},
                           {"wall_seconds", run.seconds},
                           {"difference", run.difference ? Json(*run.difference) : Json(nullptr)}});
  return out;
}

/// What was asked for first, then the balance.
Json energy_json(const RunReport& r) {
  const SimulationSummary& s = r.summary;
  const EnergyBalance& b = r.balance;
  Json out = {{"initial", s.initial_energy},
              {"final", s.final_energy},
              {"max_drift", s.max_energy_drift},
              {"kinetic", b.end.kinetic},
              {"elastic", b.end.potential - b.end.weight},
              {"weight", b.end.weight},
              {"given_up", s.energy_given_up}};
  const auto if_kept = [&](const char* name, double value) {
    out[name] = b.kept ? Json(value) : Json(nullptr);
  };
  if_kept("supports", b.end.supports);
  if_kept("fields", b.end.fields);
  out["dissipated"] = Json::object();
  for (const auto& [name, joule] : b.dissipated) out["dissipated"][name] = joule;
  if_kept("numerical_error", b.error);
  if_kept("max_numerical_error", b.max_error);
  if_kept("unresolved", b.unresolved);
  return out;
}

Json momentum_json(const MomentumBalance& m) {
  const auto change = [](const MomentumChange& c) {
    return Json{{"initial", c.start}, {"final", c.end}, {"max_change", c.max_change}};
  };
  return {{"linear", change(m.linear)}, {"angular", change(m.angular)}};
}

}  // namespace

double RunReport::energy_scale() const {
  double taken = plastic ? plastic->total() : 0;
  for (const auto& [name, joule] : balance.dissipated) taken += std::max(0.0, joule);
  return std::max(max_kinetic_energy, taken);
}

std::string name_of(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return {};
}

std::string run_json(const RunReport& r) {
  const SimulationSummary& s = r.summary;
  Json out;
  out["status"] = name_of(r.status);
  if (!r.error.empty())
    out["error"] = r.error;
  else if (r.error_search)
    out["error"] = error_json(*r.error_search);
  out["warnings"] = Json::array();
  for (const Warning& warning : r.warnings) out["warnings"].push_back(warning.text());
  out["scene_name"] = r.scene;
  out["model"] = r.kind;
  out["integrator"] = r.integrator;
  for (const ChoiceRecord& c : r.choices)
    out["choices"].push_back({{"time", c.time}, {"integrator", c.integrator}, {"reason", c.reason}});
  out["evaluator"] = r.evaluator.empty() ? Json(nullptr) : Json(r.evaluator);
  out["reformulation"] = r.evaluator.empty() ? Json(nullptr) : Json(r.reformulation);
  out["step"] = r.tolerance > 0 ? Json(nullptr) : Json(r.step);
  out["tolerance"] = r.tolerance > 0 ? Json(r.tolerance) : Json(nullptr);
  if (r.steered) out["steered"] = true;
  out["unknowns"] = r.unknowns;
  out["particles"] = r.particles;
  out["springs"] = r.springs;
  out["steps"] = s.steps;
  out["rejected_steps"] = s.rejected_steps;
  out["simulated_seconds"] = s.simulated_seconds;
  out["wall_seconds"] = s.wall_seconds;
  out["peak_memory_bytes"] = r.peak_memory_bytes;
  out["energy"] = energy_json(r);
  if (r.momentum.kept) out["momentum"] = momentum_json(r.momentum);
  if (s.contact) out["contact"] = {{"pairs", s.contact->pairs}, {"deepest", s.contact->deepest}};
  if (const auto& did = s.projection) {
    Json& contact = out["contact"];  // where obstacles push, they are in it
    contact.update({{"contacts", did->contacts},
                    {"crossings", did->crossings},
                    {"passes", did->passes},
                    {"halvings", did->halvings},
                    {"deepest", std::max(did->deepest, s.contact ? s.contact->deepest : 0)},
                    {"energy_taken", did->taken}});
    if (did->driven != 0 || did->made != 0)
      contact.update({{"energy_driven", did->driven}, {"energy_made", did->made}});
  }
  if (r.plastic)
    out["plastic"] = {{"heat", r.plastic->heat},
                      {"stored", r.plastic->stored},
                      {"largest_strain", r.plastic->strain},
                      {"yielded", r.plastic->yielded}};
  out["counters"] = counters_json(s.counters);
  if (r.frame_rate > 0) out["frames"] = {{"per_second", r.frame_rate}, {"count", r.frames}};
  if (!r.evaluator.empty()) out["phi"] = phi_json(s.phi);
  out["scene"] = Json::parse(r.resolved_scene.empty() ? "{}" : r.resolved_scene);
  out["versions"] = object(versions());
  out["hardware"] = object(hardware());
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string state_csv(std::span<const std::array<double, 3>> positions,
                      std::span<const std::array<double, 3>> velocities) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "particle,x,y,z,vx,vy,vz\n");
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto& x = positions[i];
    const auto& v = velocities[i];
    fmt::format_to(std::back_inserter(out), "{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", i, x[0],
                   x[1], x[2], v[0], v[1], v[2]);
  }
  return fmt::to_string(out);
}

std::string energy_csv(std::span<const EnergySample> samples) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out),
                 "t,kinetic,potential,total,weight,supports,fields,dissipated,error,px,py,pz,lx,ly,lz\n");
  for (const EnergySample& e : samples) {
    const auto &p = e.linear_momentum, &l = e.angular_momentum;
    const double row[] = {e.time,   e.kinetic,    e.potential,
                          e.total,  e.weight,     e.supports,
                          e.fields, e.dissipated, balance_error(samples.front(), e),
                          p[0],     p[1],         p[2],
                          l[0],     l[1],         l[2]};
    fmt::format_to(std::back_inserter(out), "{:.17g}\n", fmt::join(row, ","));
  }
  return fmt::to_string(out);
}

std::string counters_csv(std::span<const WorkSample> samples) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out),
                 "t,steps,rejected,force,product,tangent,factorization,solve,inner\n");
  for (const auto& [time, steps, rejected, c] : samples)
    fmt::format_to(std::back_inserter(out), "{:.17g},{},{},{},{},{},{},{},{}\n", time, steps, rejected,
                   c.force, c.product, c.tangent, c.factorization, c.solve, c.inner);
  return fmt::to_string(out);
}

}  // namespace stiffly
