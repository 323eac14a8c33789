// A comparison as a table, as JSON, and as a chart.
#pragma once

#include "stiffly/plot/chart.hpp"
#include "stiffly/study/compare.hpp"

namespace stiffly::study {

/// Lines of text, the fastest candidate first, those that did not meet the bound last, with what they
/// reached.
std::string comparison_table(const Comparison& comparison);
/// One JSON object; numbers that are not finite become null.
std::string comparison_json(const Comparison& comparison);
/// Time over error of all trials with the bound as a line; failures are marked beside the axes.
Chart comparison_chart(const Comparison& comparison);
/// The same for work–precision ladders.
struct PrecisionCurve {
  std::string name;
  std::vector<Measurement> trials;
};
Chart precision_chart(std::span<const PrecisionCurve> curves);
/// Columns of a trial in CSV files, and its row.
std::string trial_header();
std::string trial_row(const Measurement& trial);

}  // namespace stiffly::study
