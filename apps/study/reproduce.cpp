// stiffly reproduce: the papers' claims, measured, with a verdict on each.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "claims.hpp"
#include "commands.hpp"
#include "hindsight.hpp"
#include "maps.hpp"
#include "reliability.hpp"
#include "rows.hpp"
#include "runs.hpp"
#include "stiffly/files/file.hpp"
#include "study_output.hpp"
#include "trust.hpp"

namespace stiffly::app {

using namespace study;
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ReproduceOptions {
  std::string what = "all", scale = "small", output = "docs";
  std::vector<std::string> rows, integrators;
  double time_limit = 60, reference_limit = 600, seconds = 10;
  bool again = false;
};

fs::path row_file(const ReproduceOptions& o, const Claim& claim, const std::string& scale) {
  return fs::path(o.output) / "claims" / fmt::format("{}-{}.json", claim.id, scale);
}

/// One page of all rows there are, at both scales.
void write_page(const ReproduceOptions& o) {
  std::string page =
      "# What the papers report, and what came out here\n\n"
      "Made by `stiffly reproduce`. A ratio counts as confirmed from 0.8 of the published one on; both sides "
      "are measured in one run. h is the largest step whose error stays below the bound, as in the papers; "
      "where shorter steps are cheaper, the cheapest one is named too, and counts. Runs that take too long "
      "are cut off, and then only bound the ratio; where the published one lies within what is left open the "
      "row is undecided. Rows without a verdict have not been run yet.\n\n"
      "Rows that end in `-energy-momentum` ask of that method, which the papers do not have, what they "
      "report of theirs. `backward-euler+line-search` is the papers' backward Euler with Newton's "
      "method; `backward-euler+mixed` has the best nonlinear solver there is here, with strains as "
      "unknowns ([mixed.md](mixed.md)), and is left out of the verdict. Their times are the "
      "processor's, of one thread. Rows that say `backward-euler` alone were measured when its solver "
      "was the line search, by the clock on the wall, and have not been measured anew.\n\n"
      "| row | claim | published | scale | verdict | measured | command |\n|---|---|---|---|---|---|---|\n";
  std::set<std::string> processors;
  for (const Claim& claim : claims()) {
    bool any = false;
    for (const std::string scale : {"small", "full"}) {
      const fs::path file = row_file(o, claim, scale);
      if (!fs::exists(file)) continue;
      const Json row = Json::parse(read_file(file, 1 << 20));
      page += fmt::format("| {} | {} | {} | {} | {} | {} | `{}` |\n", claim.id, claim.what, claim.published,
                          scale, row.at("verdict").get<std::string>(), row.at("measured").get<std::string>(),
                          row.at("command").get<std::string>());
      if (row.contains("hardware")) processors.insert(row["hardware"].value("processor", "unknown"));
      any = true;
    }
    if (!any)
      page += fmt::format("| {} | {} | {} | – | not run | – | – |\n", claim.id, claim.what, claim.published);
  }
  page += fmt::format("\nMeasured on {}, each row on one of them. This page was written by {}.\n",
                      fmt::join(processors, " and "), footer());
  write_file(fs::path(o.output) / "claims.md", page);
}

int reproduce(const ReproduceOptions& o) {
  if (o.what == "runs") return table_of_runs({o.scale, o.output, o.time_limit, o.rows, o.again});
  if (o.what == "reliability") return measure_reliability({o.scale, o.output});
  if (o.what == "trust") return measure_trust({o.output, o.time_limit, o.reference_limit, o.rows, o.again});
  if (o.what == "maps") return maps_of_winners({o.output, o.time_limit, o.reference_limit, o.rows, o.again});
  if (o.what == "auto")
    return automatic_in_hindsight(
        {o.scale, o.output, o.seconds, o.time_limit, o.rows, o.integrators, o.again});
  std::vector<std::string> names;
  for (const Claim& claim : claims())
    if (o.what == "all" || o.what == claim.group) names.push_back(claim.id);
  check_rows(o.rows, names, "as the page names it");
  prepare_folder((fs::path(o.output) / "claims").string());
  const ClaimScale scale{o.scale == "full", o.time_limit, o.reference_limit};
  for (const Claim& claim : claims()) {
    if (o.what != "all" && o.what != claim.group) continue;
    if (!o.rows.empty() && std::find(o.rows.begin(), o.rows.end(), claim.id) == o.rows.end()) continue;
    const fs::path file = row_file(o, claim, o.scale);
    if (fs::exists(file) && !o.again) {
      fmt::print("{}: done before (--again repeats it)\n", claim.id);
      continue;
    }
    fmt::print("{}: {} (a reference of at most {:g} s, runs of at most {:g} s each)\n", claim.id, claim.what,
               o.reference_limit, o.time_limit);
    const Finding found = claim.run(scale);
    Json row = {{"id", claim.id},          {"claim", claim.what},      {"published", claim.published},
                {"scale", o.scale},        {"verdict", found.verdict}, {"measured", found.measured},
                {"command", found.command}};
    if (!found.comparison.empty()) row["comparison"] = Json::parse(found.comparison);
    row.update(environment());
    write_file(file, dump(row));
    write_page(o);
    fmt::print("  {}: {}\n", found.verdict, found.measured);
  }
  write_page(o);
  fmt::print("{}/claims.md\n", o.output);
  return done;
}

}  // namespace

void add_reproduce(CLI::App& program, Action& action) {
  auto o = std::make_shared<ReproduceOptions>();
  CLI::App* command = add_study_command(program, "reproduce");
  command
      ->add_option(
          "WHAT", o->what,
          "table1, table2, fput, hauth, all of these; runs: a table of what runs cost; maps: who is "
          "fastest where; auto: the automatic choice of methods against the best one in hindsight; trust: "
          "errors asked for and errors that came out; reliability: failing disks and kills")
      ->check(CLI::IsMember(
          {"table1", "table2", "fput", "hauth", "all", "runs", "maps", "auto", "trust", "reliability"}))
      ->capture_default_str();
  command->add_option("--scale", o->scale, "small or full")
      ->check(CLI::IsMember({"small", "full"}))
      ->capture_default_str();
  command
      ->add_option("--rows", o->rows,
                   "Only these rows (of runs: as the page names them, or scenes; of maps: scenes; of auto: "
                   "SCENE or SCENE-TOLERANCE), separated by commas")
      ->delimiter(',');
  command->add_option("--time-limit", o->time_limit, "Seconds of computing for one run")
      ->capture_default_str();
  command->add_option("--reference-limit", o->reference_limit, "Seconds of computing for a reference")
      ->capture_default_str();
  command->add_option("--seconds", o->seconds, "Of auto: seconds of computing for an automatic run at least")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--integrators", o->integrators,
                   "Of auto: to run against (default: those it chooses from)")
      ->delimiter(',');
  command->add_option("-o,--output", o->output, "Folder for the pages and their rows")->capture_default_str();
  command->add_flag("--again", o->again, "Repeat rows that are done");
  command->callback([o, &action] { action = [o] { return reproduce(*o); }; });
}

}  // namespace stiffly::app
