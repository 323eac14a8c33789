// stiffly doctor: what the program was built with, what it runs on, and whether it works.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly::app {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs contents() {
  return {{"integrators", fmt::format("{}", integrators().size())},
          {"evaluators", fmt::format("{}", evaluators().size())},
          {"scenes", fmt::format("{}", scenes().size())}};
}

void print_pairs(const char* title, const Pairs& pairs) {
  fmt::print("{}\n", title);
  for (const auto& [name, value] : pairs) fmt::print("  {:<16}{}\n", name, value);
}

int doctor(bool json) {
  std::vector<std::string> problems;
  if (integrators().empty()) problems.emplace_back("no integrators are registered");
  if (scenes().empty())
    problems.emplace_back("the scenes that come with the program were not found; give scenes by path");
  if (json) {
    nlohmann::ordered_json out;
    for (const auto& [name, pairs] : {std::pair{"versions", versions()}, std::pair{"hardware", hardware()},
                                      std::pair{"contents", contents()}})
      for (const auto& [key, value] : pairs) out[name][key] = value;
    out["problems"] = problems;
    fmt::print("{}\n", out.dump(2));
  } else {
    print_pairs("versions", versions());
    print_pairs("hardware", hardware());
    print_pairs("contents", contents());
    for (const std::string& problem : problems) fmt::print("problem: {}\n", problem);
    if (problems.empty()) fmt::print("no problems found\n");
  }
  return done;
}

}  // namespace

void add_doctor(CLI::App& program, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand("doctor", "Show versions, hardware and what is missing");
  command->add_flag("--json", *json, "Print a JSON object");
  command->callback([json, &action] { action = [json] { return doctor(*json); }; });
}

}  // namespace stiffly::app
