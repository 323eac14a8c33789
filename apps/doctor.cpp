// stiffly doctor: what the program was built with, what it runs on and how fast that is, and whether it
// works.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

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

/// Other programs, and what is not possible without them.
Pairs programs() {
  struct Wanted {
    const char *name, *use;
  };
  Pairs out;
  for (const auto& [name, use] :
       std::initializer_list<Wanted>{{"chromium", "pictures, movies"},
                                     {"ffmpeg", "movies"},
                                     {"node", "building the viewer, fetching bodies"},
                                     {"npm", "building the viewer, fetching bodies"},
                                     {"tetgen", "filling surfaces along their own triangles"}}) {
    const auto found = find_program(name);
    out.emplace_back(name, found ? found->string() : fmt::format("missing; needed for {}", use));
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

/// On the stiffness of the coil at its full size; a wrong solution is a problem.
Pairs speed(std::vector<std::string>& problems) {
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
  return {{"memory", fmt::format("{:.1f} GB/s", 24e-9 * length / copy)},
          {"product", fmt::format("{:.3g} ms, {:.2f} GFLOP/s ({} unknowns)", 1e3 * product,
                                  1e-9 * operations / product, matrix.unknowns())},
          {"factorisation",
           fmt::format("{:.3g} ms ({:.3g} entries)", 1e3 * factorisation, factor.factor_entries())},
          {"solve", fmt::format("{:.3g} ms", 1e3 * solve)},
          {"backend host", works ? fmt::format("works (error of a solve {:.1g})", error) : "does not work"}};
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
  std::vector<std::pair<const char*, Pairs>> sections = {
      {"versions", versions()}, {"hardware", hardware()}, {"contents", contents()}, {"programs", programs()}};
  if (!quick && !scenes().empty()) sections.emplace_back("speed", speed(problems));
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
