#include "scene_studies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "commands.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/csv.hpp"
#include "stiffly/study/comparison_text.hpp"
#include "stiffly/study/energy_history.hpp"
#include "stiffly/study/search.hpp"
#include "stiffly/text.hpp"
#include "study_output.hpp"

namespace stiffly::app {

using namespace study;
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string folder(const SceneStudyOptions& o) { return o.output.empty() ? "out/study" : o.output; }

/// The picture, the data, and one JSON object on standard output for those who asked.
void finish(const SceneStudyOptions& o, const std::string& study, const std::string& scene, Chart chart,
            const std::string& csv, Json results) {
  const std::string name = study + "-" + scene;
  Json json = {{"study", study}, {"scene", scene}, {"folder", folder(o)}, {"results", std::move(results)}};
  json.update(environment());
  write_chart(folder(o), name, std::move(chart), csv);
  write_json(folder(o), name, json);
  if (o.json)
    fmt::print("{}", dump(json));
  else
    fmt::print("{}/{}.png, .svg, .pdf, .csv and .json\n", folder(o), name);
}

std::string outcome(const Measurement& t) {
  return t.failure.empty() ? fmt::format("error {:<9.2g} time {}", t.error, duration_text(t.seconds))
                           : t.failure;
}

/// --values as numbers, for axes.
std::vector<double> numbers(const SweepOptions& o) {
  if (o.key.empty()) throw InputError("--key is missing: the value of the scene that is to change");
  if (o.values.empty()) throw InputError("--values is missing: numbers separated by commas");
  std::vector<double> out;
  for (const std::string& text : o.values)
    if (double value = 0; parse_number(text, value))
      out.push_back(value);
    else
      throw InputError(fmt::format("--values {}: not a number", text));
  return out;
}

/// Rows of a sweep: on the terminal, as CSV, as curves and as JSON.
struct SweepReport {
  std::string csv;
  std::vector<Series> series;
  Json results = Json::array();

  template <class X, class Y>
  SweepReport(const SweepOptions& o, const std::vector<SweepRow>& rows, const X& x, const Y& y) {
    csv = "integrator,value,unknowns,seconds_per_step," + trial_header() + "\n";
    std::map<std::string, std::size_t> curve;
    for (const SweepRow& row : rows) {
      const Measurement& t = row.trial;
      const bool failed = !t.failure.empty();
      csv += fmt::format("{},{:.9g},{},{:.4g},{}\n", row.candidate, row.value, row.unknowns,
                         row.seconds_per_step(), trial_row(t));
      if (!curve.contains(row.candidate)) {
        curve[row.candidate] = series.size();
        series.push_back({row.candidate, {}, {}});
      }
      Series& s = series[curve[row.candidate]];
      s.x.push_back(x(row));
      s.y.push_back(failed ? std::numeric_limits<double>::infinity() : y(row));
      results.push_back({{"integrator", row.candidate},
                         {"value", row.value},
                         {"unknowns", row.unknowns},
                         {"setting", t.setting},
                         {"error", number(t.error)},
                         {"seconds", failed ? Json(nullptr) : number(t.seconds)},
                         {"seconds_per_step", failed ? Json(nullptr) : number(row.seconds_per_step())},
                         {"steps", t.steps},
                         {"failure", t.failure}});
      if (!o.json)
        fmt::print(
            "{:<10.4g} {:<24} {}\n", row.value, row.candidate,
            failed
                ? t.failure
                : fmt::format("step {:<9.3g} time {:<9} {:<9} per step, {} products, {} solves, {} forces{}",
                              t.setting, duration_text(t.seconds), duration_text(row.seconds_per_step()),
                              t.work.product, t.work.solve, t.work.force,
                              std::isnan(t.error) ? "" : fmt::format(", error {:.2g}", t.error)));
    }
  }

  /// The fitted exponent of every curve, in its name and among the results.
  Json fit() {
    Json out = Json::array();
    for (Series& s : series) {
      const double exponent = fitted_exponent(s.x, s.y);
      out.push_back({{"integrator", s.name}, {"exponent", number(exponent)}});
      s.name += std::isfinite(exponent) ? fmt::format(" ({:.2f})", exponent) : " (-)";
    }
    return out;
  }
};

Scene load_at(const SweepOptions& o, double value) {
  return load(o, {{o.key, fmt::format("{}", value), "--values"}});
}

void finish_sweep(const SweepOptions& o, const std::string& study, SweepReport report,
                  const std::string& title, const std::string& x_name, const std::string& x_label,
                  const std::string& y_label) {
  const Json fits = report.fit();
  for (const Json& fit : fits)
    if (!o.json && !fit["exponent"].is_null())
      fmt::print("{:<24} {} grows like ({})^{:.2f}\n", fit["integrator"].get<std::string>(), y_label, x_name,
                 fit["exponent"].get<double>());
  const std::string scene = find_scene(o.scene).stem().string();
  finish(o, study, scene,
         {.title = fmt::format("{}: {}", scene, title),
          .x_label = x_label + " (with the names: exponent of the fit)",
          .y_label = y_label,
          .log_x = true,
          .log_y = true,
          .markers = true,
          .series = std::move(report.series)},
         report.csv, {{"key", o.key}, {"rows", std::move(report.results)}, {"fits", fits}});
}

}  // namespace

int precision_study(const LadderOptions& o) {
  Scene scene = load(o);
  const Candidates all = candidates(o, scene.simulation.options, usual_integrators());
  const ReferencedScene at(o, std::move(scene));
  const double duration = at.problem.duration();
  std::vector<PrecisionCurve> curves;
  std::string csv = "integrator," + trial_header() + "\n";
  Json results = Json::array();
  for (const auto& candidate : all) {
    const bool by_step = candidate->knob() == Knob::step;
    const double coarsest = o.coarsest > 0 ? o.coarsest : by_step ? duration / 10 : 1e-1;
    const double finest = o.finest > 0 ? o.finest : coarsest / (by_step ? std::exp2(o.rungs - 1) : 1e5);
    curves.push_back({candidate->name(), work_precision(at.problem, *candidate,
                                                        ladder(coarsest, finest, o.rungs), o.time_limit)});
    for (const Measurement& t : curves.back().trials) {
      csv += candidate->name() + "," + trial_row(t) + "\n";
      results.push_back({{"integrator", candidate->name()},
                         {"knob", by_step ? "step" : "tolerance"},
                         {"setting", t.setting},
                         {"error", number(t.error)},
                         {"seconds", t.seconds},
                         {"failure", t.failure}});
      if (!o.json)
        fmt::print("{:<24} {} {:<9.3g} {}\n", candidate->name(), by_step ? "step" : "tol ", t.setting,
                   outcome(t));
    }
  }
  Chart chart = precision_chart(curves);
  chart.title = fmt::format("{}: time over error, {} unknowns, {:.3g} s", at.scene.name,
                            at.scene.system().unknowns(), duration);
  chart.x_label =
      fmt::format("relative error in {} (motion: {} of the size, reference known to {})", o.norm,
                  number_text(at.problem.measure.amplitude(), 2), number_text(at.reference.difference, 1));
  finish(o, "precision", at.scene.name, std::move(chart), csv, std::move(results));
  return done;
}

int energy_study(const SceneStudyOptions& o) {
  const Scene scene = load(o);
  Chart chart{
      .title = fmt::format("{}: energy over time, {} unknowns", scene.name, scene.system().unknowns()),
      .x_label = "t (s)",
      .y_label = "energy (J)",
      .series = {}};
  std::string csv = "integrator,t,energy\n";
  Json results = Json::array();
  for (const auto& candidate : candidates(o, scene.simulation.options, usual_integrators())) {
    const EnergyCurve curve = energy_history(scene, scene.simulation.duration, *candidate,
                                             setting_for(o, scene, *candidate), o.time_limit);
    for (std::size_t i = 0; i < curve.times.size(); ++i)
      csv += fmt::format("{},{:.9g},{:.12g}\n", curve.name, curve.times[i], curve.energies[i]);
    const Measurement& t = curve.trial;
    chart.series.push_back({.name = curve.name + (t.failure.empty() ? "" : " (failed)"),
                            .x = curve.times,
                            .y = curve.energies,
                            .breaks_off = !t.failure.empty()});
    results.push_back({{"integrator", curve.name},
                       {"setting", t.setting},
                       {"initial", number(curve.energies.front())},
                       {"final", number(curve.energies.back())},
                       {"max_drift", number(t.max_energy_drift)},
                       {"simulated_seconds", t.simulated_seconds},
                       {"failure", t.failure}});
    if (!o.json)
      fmt::print("{:<24} {:.6g} J → {:.6g} J; off by at most {:.3g} J{}{}\n", curve.name,
                 curve.energies.front(), curve.energies.back(), t.max_energy_drift,
                 t.failure.empty() ? "" : ". ", t.failure);
  }
  finish(o, "energy", scene.name, std::move(chart), csv, std::move(results));
  return done;
}

int stiffness_study(const SweepOptions& o) {
  const std::vector<double> values = numbers(o);
  const Scene first = load_at(o, values.front());
  const Candidates all =
      candidates(o, first.simulation.options,
                 {"exprb42+rational", "exprb42+kiops", "verlet", "implicit-midpoint", "energy-momentum"});
  const auto same_step = [&](double value) -> SweepStation {
    const auto scene = std::make_shared<Scene>(load_at(o, value));
    return {scene->system().unknowns(), [&o, scene](Candidate& candidate) {
              return measure_cost(*scene, scene->simulation.duration, candidate,
                                  setting_for(o, *scene, candidate), o.time_limit, o.repeats);
            }};
  };
  const auto same_step_with_errors = [&](double value) -> SweepStation {
    const auto at = std::make_shared<ReferencedScene>(o, load_at(o, value));
    return {at->scene.system().unknowns(), [&o, at](Candidate& candidate) {
              const double setting = setting_for(o, at->scene, candidate);
              return fastest(o.repeats,
                             [&] { return attempt(at->problem, candidate, setting, o.time_limit); });
            }};
  };
  const auto same_error = [&](double value) -> SweepStation {
    const auto at = std::make_shared<ReferencedScene>(o, load_at(o, value));
    return {at->scene.system().unknowns(), [&o, at](Candidate& candidate) {
              const ComparisonEntry e =
                  compare_one(at->problem, candidate,
                              {.bound = o.error,
                               .time_limit = o.time_limit,
                               .repeats = o.repeats,
                               .progress = [&](const std::string& line) { o.say(line); }});
              Measurement t = e.chosen;
              if (e.verdict != Verdict::pass && t.failure.empty()) t.failure = "does not meet the bound";
              return t;
            }};
  };
  const std::vector<SweepRow> rows = o.equal_quality ? sweep(values, same_error, all)
                                     : o.with_errors ? sweep(values, same_step_with_errors, all)
                                                     : sweep(values, same_step, all);
  SweepReport report(
      o, rows, [](const SweepRow& row) { return row.value; },
      [](const SweepRow& row) { return row.trial.seconds; });
  const std::string how =
      o.equal_quality ? fmt::format("at an error of {:.2g} in {}", o.error, o.norm) : "at the same step";
  finish_sweep(o, "stiffness", std::move(report), fmt::format("time over {} {}", o.key, how), o.key,
               with_unit(o.key, first.kind), "time (s)");
  return done;
}

int scaling_study(const SweepOptions& o) {
  const std::vector<double> values = numbers(o);
  const Candidates all = candidates(o, load_at(o, values.front()).simulation.options,
                                    {"exprb42", "verlet", "implicit-midpoint", "bdf2"});
  const auto station = [&](double value) -> SweepStation {
    const auto scene = std::make_shared<Scene>(load_at(o, value));
    const double duration = o.steps * (o.step > 0 ? o.step : scene->simulation.step);
    return {scene->system().unknowns(), [&o, scene, duration](Candidate& candidate) {
              return measure_cost(*scene, duration, candidate, setting_for(o, *scene, candidate),
                                  o.time_limit, o.repeats);
            }};
  };
  const std::vector<SweepRow> rows = sweep(values, station, all);
  SweepReport report(
      o, rows, [](const SweepRow& row) { return static_cast<double>(row.unknowns); },
      [](const SweepRow& row) { return row.seconds_per_step(); });
  finish_sweep(o, "scaling", std::move(report), fmt::format("time per step over unknowns, {} steps", o.steps),
               "unknowns", "unknowns", "time per step (s)");
  return done;
}

int amplitude_study(const AmplitudeOptions& o) {
  const std::vector<double> values = numbers(o);
  const auto scene_at = [&](double value, double amplitude) {
    return load(o, {{o.key, fmt::format("{}", value), "--values"},
                    override_at(o.amplitude, amplitude, "--amplitude")});
  };
  const Scene first = scene_at(values.front(), o.largest);
  const Candidates all = candidates(o, first.simulation.options, {"exprb42", "pexprb43", "epirk4s3"});
  const std::string name = name_of(o.amplitude);
  std::string csv = "integrator," + o.key + "," + name + ",relative_motion\n";
  std::vector<Series> series;
  Json results = Json::array();
  for (const auto& candidate : all) {
    series.push_back({candidate->name(), {}, {}});
    for (const double value : values) {
      std::map<double, double> motions;  // of the runs that held
      const SearchResult limit = find_largest(
          {.largest = o.largest, .smallest = o.smallest, .coarse = 10, .fine = 2}, [&](double amplitude) {
            const Scene scene = scene_at(value, amplitude);
            const State& start = scene.body.start;
            const std::vector<double> moments = even_moments(start, scene.simulation.duration, o.moments);
            const Trajectory run = candidate->run(scene.system(), start, moments,
                                                  setting_for(o, scene, *candidate), o.time_limit);
            // Close to the limit evaluators need ever longer: what takes too long does not hold either.
            if (!run.failure.empty()) return Verdict::fail;
            motions[amplitude] = ErrorMeasure(scene.body, Norm::position, run.states).amplitude();
            return Verdict::pass;
          });
      const bool held = limit.verdict == Verdict::pass;
      const double motion = held ? motions.at(limit.setting) : 0;
      const std::string words =
          held ? fmt::format("{} up to {:.2g}, motion {:.2g} of the body's size", name, limit.setting, motion)
               : fmt::format("does not hold down to {} {:.2g}", name, limit.setting);
      o.say(fmt::format("{:<10.4g} {:<24} {}", value, candidate->name(), words));
      series.back().x.push_back(value);
      series.back().y.push_back(held ? motion : std::numeric_limits<double>::infinity());
      csv += fmt::format("{},{:.9g},{:.4g},{:.4g}\n", candidate->name(), value, held ? limit.setting : 0.0,
                         motion);
      results.push_back({{"integrator", candidate->name()},
                         {"value", value},
                         {"limit", held ? Json(limit.setting) : Json(nullptr)},
                         {"relative_motion", held ? number(motion) : Json(nullptr)}});
    }
  }
  const std::string scene = find_scene(o.scene).stem().string();
  finish(o, "amplitude", scene,
         {.title = fmt::format("{}: the largest motion that does not blow up", scene),
          .x_label = with_unit(o.key, first.kind),
          .y_label = "motion, relative to the size of the body",
          .log_x = true,
          .log_y = true,
          .markers = true,
          .series = std::move(series)},
         csv, {{"key", o.key}, {"amplitude", name}, {"rows", std::move(results)}});
  return done;
}

}  // namespace stiffly::app
