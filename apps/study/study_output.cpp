#include "study_output.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "candidates.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/machine.hpp"

namespace stiffly::app {

using namespace study;

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string footer() {
  std::string out;
  for (const auto& [name, value] : versions())
    if (name == "stiffly" || name == "compiler" || name == "Eigen" || name == "CHOLMOD")
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name == "compiler" ? "" : name, value);
  for (const auto& [name, value] : hardware())
    if (name == "processor" || name == "threads")
      out += fmt::format(", {}{}", value, name == "threads" ? " threads" : "");
  return out;
}

Json environment() {
  Json out;
  for (const auto& [name, value] : versions()) out["versions"][name] = value;
  for (const auto& [name, value] : peer_libraries()) out["versions"][name] = value;
  for (const auto& [name, value] : hardware()) out["hardware"][name] = value;
  return out;
}

namespace {

template <class AnyChart>
void write(const std::string& folder, const std::string& name, AnyChart& chart, const std::string& csv) {
  prepare_folder(folder);
  if (chart.footer.empty()) chart.footer = footer();
  const Canvas drawn = draw(chart);
  write_file(fs::path(folder) / (name + ".png"), encode_png(drawn));
  write_file(fs::path(folder) / (name + ".svg"), encode_svg(drawn));
  write_file(fs::path(folder) / (name + ".pdf"), encode_pdf(drawn));
  write_file(fs::path(folder) / (name + ".csv"), csv);
}

}  // namespace

void write_chart(const std::string& folder, const std::string& name, Chart chart, const std::string& csv) {
  write(folder, name, chart, csv);
}

void write_chart(const std::string& folder, const std::string& name, TileChart chart,
                 const std::string& csv) {
  write(folder, name, chart, csv);
}

void write_json(const std::string& folder, const std::string& name, const Json& json) {
  prepare_folder(folder);
  write_file(fs::path(folder) / (name + ".json"), dump(json));
}

}  // namespace stiffly::app
