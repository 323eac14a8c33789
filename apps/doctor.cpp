// stiffly doctor: what the program was built with, what it runs on and how fast that is, and whether it
// works.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command_line.hpp"
#include "commands.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/stopwatch.hpp"

namespace stiffly::app {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs contents() {
  return {{"integrators", fmt::format("{}", integrators().size())},
          {"evaluators", fmt::format("{}", evaluators().size())},
          {"scenes", fmt::format("{}", scenes().size())}};
}

/// Something that is used where it is installed.
struct Wanted {
  std::vector<const char*> names;  ///< any of them will do
  const char *use, *package;       ///< what is not possible without, and Debian's name
};

std::string missing(const Wanted& wanted) {
  return fmt::format("missing; needed for {}: apt-get install {}", wanted.use, wanted.package);
}

Pairs programs() {
  Pairs out;
  for (const Wanted& wanted : std::initializer_list<Wanted>{
           {{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"},
            "pictures, movies",
            "chromium"},
           {{"ffmpeg"}, "movies", "ffmpeg"},
           {{"node"}, "building the viewer, fetching bodies", "nodejs"},
           {{"npm"}, "building the viewer, fetching bodies", "npm"},
           {{"doxygen"}, "the C++ pages of the documentation", "doxygen"},
           {{"tetgen"}, "filling surfaces along their own triangles", "tetgen"}}) {
    std::optional<std::filesystem::path> found;
    for (const char* name : wanted.names)
      if (!found) found = find_program(name);
    out.emplace_back(wanted.names.front(), found ? found->string() : missing(wanted));
  }
  for (const char* name : {"stiffly-study", "stiffly-view"}) {
    const std::filesystem::path path = sibling_program(name);
    out.emplace_back(name, exists(path) ? path.string() : "not built yet; ./stiffly does at its first use");
  }
  return out;
}

/// Of the Python that the launcher takes.
Pairs python() {
  constexpr const char* interpreter = "/usr/bin/python3";
  if (!std::filesystem::exists(interpreter))
    return {{"python3", missing({{}, "the Python module, the documentation", "python3-dev"})}};
  Pairs out{{"python3", interpreter}};
  for (const Wanted& wanted :
       std::initializer_list<Wanted>{{{"numpy"}, "the Python module", "python3-numpy"},
                                     {{"scipy"}, "the Python module", "python3-scipy"},
                                     {{"pytest"}, "its tests", "python3-pytest"},
                                     {{"sphinx"}, "the documentation", "python3-sphinx"},
                                     {{"myst_parser"}, "the documentation", "python3-myst-parser"}}) {
    const char* name = wanted.names.front();
    const std::string program =
        fmt::format("from importlib.metadata import version; print(version('{}'), end='')", name);
    const ProgramResult said = run_program(interpreter, {"-c", program}, "/", std::chrono::minutes(1));
    out.emplace_back(name, said.status == 0 ? said.output : missing(wanted));
  }
  return out;
}

/// Seconds of the quickest of a few.
template <class Work>
double quickest(int times, const Work& work) {
  double best = INFINITY;
  for (int i = 0; i < times; ++i) {
    const Stopwatch clock;
    work();
    best = std::min(best, clock.seconds());
  }
  return best;
}

struct Measured {
  Pairs speed, backends;
};

/// On the stiffness of the coil at its full size; a wrong solution is a problem.
Measured measure(std::vector<std::string>& problems) {
  double load = 0;  // before this program adds to it
  getloadavg(&load, 1);
  constexpr std::size_t length = 8'000'000;  // beyond caches
  std::vector<double> a(length, 1.0), b(length, 2.0), c(length, 0.5);
  const double copy = quickest(5, [&] {
    for (std::size_t i = 0; i < length; ++i) a[i] = b[i] + 3.0 * c[i];
  });
  const Scene scene = load_scene(find_scene("coil"), std::vector<Override>{{"size", "full", "doctor"}});
  const State& start = scene.body.start;
  Tangent tangent;
  scene.system().tangent(start.time, start.x(), start.v(), tangent);
  BlockMatrix& matrix = tangent.stiffness;
  const std::vector<double> entries = matrix.diagonal();
  matrix.add_diagonal(1e-3, entries);  // definite, whatever is held
  const Vector ones(std::vector<double>(matrix.unknowns(), 1.0));
  Vector right(matrix.unknowns()), x(matrix.unknowns());
  const double product = quickest(20, [&] { matrix.apply(ones, right); });
  SparseCholesky factor;
  factor.factorize(matrix);
  const double factorisation = quickest(3, [&] { factor.factorize(matrix); });
  const double solve = quickest(10, [&] { factor.solve(right, x); });
  double error = 0;
  for (const double value : to_host(x)) error = std::max(error, std::abs(value - 1));
  const bool works = error < 1e-6;
  if (!works)
    problems.push_back(fmt::format("backend host: a linear system is solved with an error of {:.2g}", error));
  const double operations = 2 * static_cast<double>(matrix.values().size());
  Pairs speed = {{"bandwidth", fmt::format("{:.1f} GB/s (one thread, a = b + 3 c)", 24e-9 * length / copy)},
                 {"product", fmt::format("{:.3g} ms, {:.2f} GFLOP/s ({} unknowns)", 1e3 * product,
                                         1e-9 * operations / product, matrix.unknowns())},
                 {"factorisation",
                  fmt::format("{:.3g} ms ({:.3g} entries)", 1e3 * factorisation, factor.factor_entries())},
                 {"solve", fmt::format("{:.3g} ms", 1e3 * solve)}};
  if (load > 0.5)
    speed.emplace_back("load",
                       fmt::format("{:.1f}: other programs compute, and the above is what they leave", load));
  return {speed, {{"host", works ? fmt::format("works (error of a solve {:.1g})", error) : "does not work"}}};
}

void print_pairs(const char* title, const Pairs& pairs) {
  fmt::print("{}\n", title);
  for (const auto& [name, value] : pairs) fmt::print("  {:<16}{}\n", name, value);
}

int doctor(bool json, bool quick) {
  std::vector<std::string> problems;
  if (integrators().empty()) problems.emplace_back("no integrators are registered");
  if (scenes().empty())
    problems.emplace_back("the scenes that come with the program were not found; give scenes by path");
  if (const std::string advice = blas_advice(); !advice.empty()) problems.push_back(advice);
  std::vector<std::pair<const char*, Pairs>> sections = {{"versions", versions()},
                                                         {"hardware", hardware()},
                                                         {"contents", contents()},
                                                         {"programs", programs()},
                                                         {"python", python()}};
  if (!quick && !scenes().empty()) {
    const Measured found = measure(problems);
    sections.emplace_back("speed", found.speed);
    sections.emplace_back("backends", found.backends);
  }
  if (json) {
    nlohmann::ordered_json out;
    for (const auto& [name, pairs] : sections)
      for (const auto& [key, value] : pairs) out[name][key] = value;
    out["problems"] = problems;
    fmt::print("{}\n", out.dump(2));
  } else {
    for (const auto& [name, pairs] : sections) print_pairs(name, pairs);
    for (const std::string& problem : problems) fmt::print("problem: {}\n", problem);
    if (problems.empty()) fmt::print("no problems found\n");
  }
  return done;
}

}  // namespace

void add_doctor(CLI::App& program, Action& action) {
  struct Options {
    bool json = false, quick = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "doctor", "Show versions, hardware, what is missing, and how fast this machine is");
  command->add_flag("--json", o->json, "Print a JSON object");
  command->add_flag("--quick", o->quick, "Do not measure speed");
  command->callback([o, &action] { action = [o] { return doctor(o->json, o->quick); }; });
}

}  // namespace stiffly::app
