#include "stiffly/study/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "stiffly/error.hpp"
#include "stiffly/files/base64.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/xml.hpp"

namespace stiffly::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t largest_file = std::uintmax_t{64} << 20;

constexpr const char* style =
    "body{font:15px/1.45 system-ui,sans-serif;color:#333a47;max-width:1200px;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:.6em 0 1.4em;font-size:13px}"
    "th,td{border-bottom:1px solid #dfe2e8;padding:.25em .7em;text-align:left;vertical-align:top}"
    "th{font-weight:600}img,svg{max-width:100%;height:auto;margin:.6em 0}.wide{overflow-x:auto}";

bool is_table(const Json& value) { return value.is_array() && !value.empty() && value.front().is_object(); }

std::string cell(const Json& value) {
  if (value.is_null()) return "–";
  if (value.is_string()) return escape_xml(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return escape_xml(value.dump());
}

/// Names and plain values, those of inner objects after their own name.
std::vector<std::pair<std::string, Json>> plain_values(const Json& object, const std::string& prefix = "") {
  std::vector<std::pair<std::string, Json>> out;
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      const auto inner = plain_values(value, prefix + name + " ");
      out.insert(out.end(), inner.begin(), inner.end());
    } else if (!value.is_array()) {
      out.emplace_back(prefix + name, value);
    }
  }
  return out;
}

std::string rows_html(const Json& rows) {
  std::vector<std::string> columns;
  for (const Json& row : rows)
    for (const auto& [name, value] : plain_values(row))
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  std::string out = "<div class=\"wide\"><table><tr>";
  for (const std::string& column : columns) out += "<th>" + escape_xml(column) + "</th>";
  out += "</tr>\n";
  for (const Json& row : rows) {
    const auto values = plain_values(row);
    out += "<tr>";
    for (const std::string& column : columns) {
      const auto at = std::ranges::find(values, column, &std::pair<std::string, Json>::first);
      out += "<td>" + (at == values.end() ? "" : cell(at->second)) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

/// An object: its lists of objects as tables, everything else as names and values.
std::string object_html(const Json& object) {
  std::string tables, values;
  for (const auto& [name, value] : object.items()) {
    if (is_table(value))
      tables += fmt::format("<h4>{}</h4>\n{}", escape_xml(name), rows_html(value));
    else if (value.is_object() && std::ranges::any_of(value, is_table))
      tables += object_html(value);
    else
      for (const auto& [key, plain] : plain_values(Json{{name, value}}))
        values += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escape_xml(key), cell(plain));
  }
  return tables + (values.empty() ? ""
                                  : "<details><summary>settings and machine</summary><table>" + values +
                                        "</table></details>\n");
}

std::string json_html(const fs::path& path) {
  const Json json = Json::parse(read_file(path, largest_file), nullptr, false);
  if (json.is_discarded()) throw InputError(fmt::format("{}: is not JSON", path.string()));
  if (is_table(json)) return rows_html(json);
  return json.is_object() ? object_html(json) : "<p>" + cell(json) + "</p>\n";
}

std::string picture_html(const fs::path& path) {
  const std::string bytes = read_file(path, largest_file), name = escape_xml(path.stem().string());
  const char* type = path.extension() == ".svg" ? "svg+xml" : "png";
  return fmt::format("<h4>{0}</h4>\n<img alt=\"{0}\" src=\"data:image/{1};base64,{2}\">\n", name, type,
                     encode_base64(bytes));
}

std::string folder_html(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw FileError(fmt::format("{}: is not a folder", folder.string()));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path());
  if (error) throw FileError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  std::ranges::sort(files);
  std::string pictures, tables;
  for (const fs::path& file : files) {
    const bool drawn = file.extension() == ".png" && fs::exists(fs::path(file).replace_extension(".svg"));
    if (file.extension() == ".svg" || (file.extension() == ".png" && !drawn)) pictures += picture_html(file);
    if (file.extension() == ".json")
      tables += fmt::format("<h3>{}</h3>\n{}", escape_xml(file.stem().string()), json_html(file));
  }
  if (pictures.empty() && tables.empty())
    throw InputError(
        fmt::format("{}: there is nothing to report: no JSON files and no pictures of a run or a "
                    "study. Give a folder that -o was used with",
                    folder.string()));
  return fmt::format("<h2>{}</h2>\n{}{}", escape_xml(folder.string()), pictures, tables);
}

}  // namespace

std::string html_report(std::span<const fs::path> folders) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>stiffly: report</title>"
      "<style>{}</style></head><body>\n<h1>Report</h1>\n",
      style);
  for (const fs::path& folder : folders) out += folder_html(folder);
  return out + "</body></html>\n";
}

}  // namespace stiffly::study
