#include "stiffly/results/balance.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/plot/chart.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

Eigen::Vector3d vector(const std::array<double, 3>& a) { return Eigen::Vector3d::Map(a.data()); }

MomentumChange change(const std::vector<EnergySample>& samples, std::array<double, 3> EnergySample::*which,
                      bool all) {
  MomentumChange out{samples.front().*which, samples.back().*which, 0};
  const auto see = [&](const EnergySample& e) {
    out.max_change = std::max(out.max_change, (vector(e.*which) - vector(out.start)).norm());
  };
  see(samples.back());
  if (all)
    for (const EnergySample& e : samples) see(e);
  return out;
}

}  // namespace

double balance_error(const EnergySample& start, const EnergySample& now) {
  return now.total - start.total - (now.supports + now.fields - now.dissipated);
}

EnergyBalance energy_balance(const SecondOrderSystem& system, const Record& record) {
  EnergyBalance out;
  if (record.energies.empty()) return out;
  out.kept = record.books_kept || !EnergyBooks::needed(system);
  out.start = record.energies.front();
  out.end = record.energies.back();
  if (!out.kept) return out;
  const std::vector<std::string> names = system.dissipators();
  for (std::size_t i = 0; i < names.size(); ++i)
    out.dissipated.emplace_back(names[i], record.totals.dissipated[i]);
  if (record.totals.contact) out.dissipated.emplace_back("contact", *record.totals.contact);
  out.error = balance_error(out.start, out.end);
  out.unresolved = record.totals.unresolved;
  for (const EnergySample& e : record.energies)
    out.max_error = std::max(out.max_error, std::abs(balance_error(out.start, e)));
  return out;
}

MomentumBalance momentum_balance(const SecondOrderSystem& system, const Record& record) {
  MomentumBalance out;
  const auto* particles = dynamic_cast<const ParticleSystem*>(&system);
  if (!particles || record.energies.empty()) return out;
  out.kept = true;
  out.linear = change(record.energies, &EnergySample::linear_momentum, record.books_kept);
  out.angular = change(record.energies, &EnergySample::angular_momentum, record.books_kept);
  // |L|² ≤ Σm|x − c|² Σm|v|², with the body as it was in the snapshots.
  for (const State& state : record.snapshots)
    out.largest_angular = std::max(out.largest_angular, std::sqrt(2 * particles->moment_of_inertia(state) *
                                                                  record.max_kinetic_energy()));
  return out;
}

std::string balance_png(const std::string& title, const Record& record) {
  Chart chart{.title = title + ": where the energy is, and where it went",
              .x_label = "time (s)",
              .y_label = "energy (J)",
              .series = {}};
  const EnergySample& start = record.energies.front();
  const auto add = [&](const char* name, const auto& value) {
    Series series{.name = name, .x = {}, .y = {}};
    for (const EnergySample& e : record.energies) {
      series.x.push_back(e.time);
      series.y.push_back(value(e));
    }
    if (std::ranges::any_of(series.y, [](double y) { return y != 0; }))
      chart.series.push_back(std::move(series));
  };
  add("kinetic", [](const EnergySample& e) { return e.kinetic; });
  add("elastic", [](const EnergySample& e) { return e.potential - e.weight; });
  add("weight and fields, from the start", [&](const EnergySample& e) { return e.weight - start.weight; });
  add("taken by dampers, wind and contact", [](const EnergySample& e) { return e.dissipated; });
  add("brought in by supports", [](const EnergySample& e) { return e.supports; });
  add("brought in by changing fields", [](const EnergySample& e) { return e.fields; });
  add("numerical error", [&](const EnergySample& e) { return balance_error(start, e); });
  return encode_png(draw(chart));
}

}  // namespace stiffly
