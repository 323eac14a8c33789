// ./stiffly bench [NAME…]: all sections, or those named.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "bench.hpp"
#include "stiffly/threads.hpp"
#include "stiffly/version.hpp"

int main(int argc, char** argv) {
  using namespace stiffly::bench;
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a line is seen when it is there, in files too
  const std::vector<Section> sections = {
      bandwidth(), krylov_overhead(), cost_laws(),    auto_choice(), exponentials(), coil(),    large_step(),
      solvers(),   stiffness(),       growth(),       effort(),      fibres(),       contact(), flow(),
      hair(),      one_hair(),        touching_hair()};
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  for (const std::string& name : wanted)
    if (std::none_of(sections.begin(), sections.end(), [&](const Section& s) { return s.name == name; })) {
      fmt::print(stderr, "unknown benchmark '{}'; there are:", name);
      for (const Section& s : sections) fmt::print(stderr, " {}", s.name);
      fmt::print(stderr, "\n");
      return 2;
    }
  fmt::print("stiffly {}, {} threads\n", stiffly::version, stiffly::thread_count());
  bool all_met = true;
  for (const Section& section : sections) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), section.name) == wanted.end()) continue;
    fmt::print("\n== {}: {}\n", section.name, section.what);
    all_met = section.run() && all_met;
  }
  fmt::print("\n{}\n", all_met ? "all bounds met" : "some bounds were MISSED");
  return all_met ? 0 : 1;
}
