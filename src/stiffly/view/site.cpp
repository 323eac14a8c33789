#include "stiffly/view/site.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stiffly/error.hpp"
#include "stiffly/files/csv.hpp"
#include "stiffly/files/file.hpp"

namespace stiffly::view {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_page_file = 16u << 20;

std::string type_of(const fs::path& file) {
  static const std::map<std::string, std::string> types = {
      {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},   {".svg", "image/svg+xml"},
      {".json", "application/json"},
  };
  const auto found = types.find(file.extension().string());
  return found == types.end() ? "application/octet-stream" : found->second;
}

Reply not_found() { return {"there is no such thing here\n", "text/plain; charset=utf-8", 404}; }

Reply binary(std::string bytes) { return {std::move(bytes), "application/octet-stream"}; }

/// A number from 0 of the query.
std::size_t number(const Request& request, const char* name, std::size_t otherwise) {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return otherwise;
  std::int64_t value = 0;
  if (!parse_integer(found->second, value) || value < 0)
    throw InputError(fmt::format("'{}' must be a whole number from 0", name));
  return static_cast<std::size_t>(value);
}

}  // namespace

Site::Site(const fs::path& page, std::vector<std::shared_ptr<RunSource>> runs) : runs_(std::move(runs)) {
  if (!fs::is_regular_file(page / "index.html"))
    throw FileError(
        fmt::format("{}: the viewer's page is not there; it is built by ./stiffly view in the sources, or by "
                    "`npm ci && npm run build` in viewer/, with Node.js 18 or later",
                    (page / "index.html").string()));
  for (const auto& entry : fs::recursive_directory_iterator(page)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), page);
    files_[name.generic_string()] = {read_file(entry.path(), largest_page_file), type_of(name)};
  }
  files_[""] = files_["index.html"];
}

Reply Site::answer(const Request& request) const {
  constexpr std::string_view api = "api/", runs = "api/runs/";
  const std::string& path = request.path;
  if (path.starts_with(api)) {
    const auto& handlers = request.method == "POST" ? posts_ : gets_;
    if (const auto found = handlers.find(path.substr(api.size())); found != handlers.end())
      return found->second(request);
  }
  if (request.method != "GET") return not_found();
  if (const auto found = files_.find(path); found != files_.end()) return found->second;
  if (path == "api/runs") {
    auto out = nlohmann::ordered_json::array();
    for (const auto& run : runs_) out.push_back(run->describe());
    return {out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
  }
  if (!path.starts_with(runs)) return not_found();
  const std::string rest = path.substr(runs.size());
  for (std::size_t k = 0; k < runs_.size(); ++k)
    if (const std::string prefix = fmt::format("{}/", k); rest.starts_with(prefix))
      return of_run(*runs_[k], rest.substr(prefix.size()), request);
  return not_found();
}

Reply Site::of_run(RunSource& run, const std::string& what, const Request& request) const {
  if (what == "topology") return binary(run.topology());
  if (what == "times") return binary(run.times(number(request, "first", 0)));
  if (what == "frames")
    return binary(run.frames({number(request, "first", 0), number(request, "count", 1),
                              number(request, "every", 1), number(request, "points", SIZE_MAX)}));
  if (what == "energy" || what == "counters") return {run.table(what + ".csv"), "text/csv; charset=utf-8"};
  return not_found();
}

fs::path page_folder(const fs::path& program) {
  const fs::path installed = program.parent_path().parent_path() / "share" / "stiffly" / "viewer";
  return fs::exists(installed / "index.html") ? installed : fs::path(STIFFLY_VIEWER_DIR);
}

}  // namespace stiffly::view
