#include "stiffly/study/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

const char* status_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "met";
    case Verdict::fail:
      return "failed";
    case Verdict::out_of_time:
    case Verdict::far:
      return "out of time";
  }
  return "";
}

Json counters_json(const Counters& c) {
  return {{"force", c.force},     {"product", c.product},
          {"tangent", c.tangent}, {"factorization", c.factorization},
          {"solve", c.solve},     {"inner", c.inner}};
}

Json trial_json(const Measurement& t) {
  return {{"setting", t.setting}, {"error", number(t.error)}, {"seconds", t.seconds}, {"failure", t.failure}};
}

double fastest(const Comparison& c) {
  double out = std::numeric_limits<double>::infinity();
  for (const ComparisonEntry& e : c.entries)
    if (e.verdict == Verdict::pass) out = std::min(out, e.fastest.seconds);
  return out;
}

std::vector<const ComparisonEntry*> ranked(const Comparison& c) {
  std::vector<const ComparisonEntry*> out;
  for (const ComparisonEntry& e : c.entries) out.push_back(&e);
  std::ranges::stable_sort(out, {}, [](const ComparisonEntry* e) {
    return std::pair(e->verdict != Verdict::pass, e->verdict == Verdict::pass ? e->fastest.seconds : 0.0);
  });
  return out;
}

std::string setting_text(Knob knob, double setting) {
  return knob == Knob::step ? fmt::format("{:.4g} s", setting) : fmt::format("tol {:.2g}", setting);
}

std::string shortfall(const ComparisonEntry& e) {
  const std::string best = std::isfinite(e.best_error)
                               ? fmt::format("; its best error is {:.2g} at {}", e.best_error,
                                             setting_text(e.knob, e.best_setting))
                               : "; no run came to the end";
  if (e.verdict == Verdict::out_of_time)
    return fmt::format("out of time at {}: {} per simulated second there{}",
                       setting_text(e.knob, e.chosen.setting),
                       duration_text(e.chosen.seconds_per_simulated()), best);
  return fmt::format("does not meet the bound{}. {}", best, e.chosen.failure);
}

/// Error on x, time on y, from large steps to small ones; a failure is at infinity, which charts mark.
Series precision_series(const std::string& name, std::vector<Measurement> trials) {
  std::ranges::sort(trials, std::greater{}, &Measurement::setting);
  Series out{name, {}, {}, Order::given};
  for (const Measurement& t : trials) {
    out.x.push_back(t.error);
    out.y.push_back(t.seconds);
  }
  return out;
}

Chart precision_axes(const std::string& title, const std::string& x_label) {
  return {.title = title,
          .x_label = x_label,
          .y_label = "time (s)",
          .log_x = true,
          .log_y = true,
          .markers = true,
          .series = {}};
}

}  // namespace

std::string comparison_table(const Comparison& c) {
  std::string out = fmt::format(
      "{}: {} unknowns, {:.4g} s, error in {} at most {:.3g} at {} moments\n"
      "the body moves by {:.2g} of its size; standing still would have error {:.2g}{}\n"
      "reference: {}; they differ by {:.2g}\n\n",
      c.scene, c.unknowns, c.duration, c.norm, c.bound, c.moments, c.amplitude, c.still,
      c.still <= c.bound ? ", WITHIN the bound: meeting it proves nothing" : "", c.reference,
      c.reference_difference);
  out += fmt::format("{:<20} {:>12} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9}\n",
                     "integrator", "step", "error", "time", "relative", "steps", "forces", "products",
                     "tangents", "factors", "solves", "drift");
  const double best = fastest(c);
  for (const ComparisonEntry* e : ranked(c)) {
    if (e->verdict != Verdict::pass) {
      out += fmt::format("{:<20} {}\n", e->name, shortfall(*e));
      continue;
    }
    const Measurement& t = e->chosen;
    out +=
        fmt::format("{:<20} {:>12} {:>9.2g} {:>10} {:>9.3g} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>8.2g}%\n",
                    e->name, setting_text(e->knob, t.setting), t.error, duration_text(t.seconds),
                    t.seconds / best, t.steps, t.work.force, t.work.product, t.work.tangent,
                    t.work.factorization, t.work.solve, 100 * t.max_energy_drift / c.max_kinetic);
    if (e->fastest.setting < t.setting)
      out += fmt::format("{:<20} {:>12} {:>9.2g} {:>10} {:>9.3g} {:>9}  shorter steps are cheaper here\n", "",
                         setting_text(e->knob, e->fastest.setting), e->fastest.error,
                         duration_text(e->fastest.seconds), e->fastest.seconds / best, e->fastest.steps);
  }
  return out;
}

std::string comparison_json(const Comparison& c) {
  Json out = {{"scene", c.scene},
              {"norm", c.norm},
              {"bound", c.bound},
              {"duration", c.duration},
              {"unknowns", c.unknowns},
              {"moments", c.moments},
              {"amplitude", number(c.amplitude)},
              {"still", number(c.still)},
              {"reference", {{"methods", c.reference}, {"difference", number(c.reference_difference)}}},
              {"results", Json::array()}};
  const double best = fastest(c);
  for (const ComparisonEntry& e : c.entries) {
    const Measurement& t = e.chosen;
    const bool met = e.verdict == Verdict::pass;
    Json trials = Json::array();
    for (const Measurement& trial : e.trials) trials.push_back(trial_json(trial));
    out["results"].push_back(
        {{"name", e.name},
         {"status", status_of(e.verdict)},
         {"knob", e.knob == Knob::step ? "step" : "tolerance"},
         {"setting", t.setting},
         {"error", number(met ? t.error : t.reached_error)},
         {"seconds", met ? number(t.seconds) : Json(nullptr)},
         {"relative", met ? number(t.seconds / best) : Json(nullptr)},
         {"seconds_per_simulated_second", number(t.seconds_per_simulated())},
         {"simulated_seconds", t.simulated_seconds},
         {"steps", t.steps},
         {"rejected_steps", t.rejected_steps},
         {"counters", counters_json(t.work)},
         {"energy_drift",
          {{"joule", number(t.max_energy_drift)}, {"relative", number(t.max_energy_drift / c.max_kinetic)}}},
         {"fastest", met ? trial_json(e.fastest) : Json(nullptr)},
         {"best", {{"error", number(e.best_error)}, {"setting", e.best_setting}}},
         {"failure", t.failure},
         {"trials", std::move(trials)}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

Chart comparison_chart(const Comparison& c) {
  Chart chart = precision_axes(
      fmt::format("{}: time over error, {} unknowns, {:.3g} s", c.scene, c.unknowns, c.duration),
      fmt::format("relative error in {} (motion: {} of the size)", c.norm, number_text(c.amplitude, 2)));
  for (const ComparisonEntry& e : c.entries) chart.series.push_back(precision_series(e.name, e.trials));
  if (!c.entries.empty()) chart.guides.push_back({fmt::format("bound {:.2g}", c.bound), c.bound});
  return chart;
}

Chart precision_chart(std::span<const PrecisionCurve> curves) {
  Chart chart = precision_axes("precision", "relative error");
  for (const PrecisionCurve& curve : curves)
    chart.series.push_back(precision_series(curve.name, curve.trials));
  return chart;
}

std::string trial_header() {
  return "setting,error,seconds,processor_seconds,simulated_seconds,steps,rejected_steps,force,product,"
         "tangent,factorization,solve,inner,max_energy_drift,failure";
}

std::string trial_row(const Measurement& t) {
  std::string failure = t.failure;
  std::ranges::replace(failure, '"', '\'');
  return fmt::format("{:.9g},{:.6g},{:.4g},{:.4g},{:.9g},{},{},{},{},{},{},{},{},{:.6g},\"{}\"", t.setting,
                     t.error, t.seconds, t.processor_seconds, t.simulated_seconds, t.steps, t.rejected_steps,
                     t.work.force, t.work.product, t.work.tangent, t.work.factorization, t.work.solve,
                     t.work.inner, t.max_energy_drift, failure);
}

}  // namespace stiffly::study
