// Simulates a scene and leaves its results in a folder.
//
//   run_scene                     the chain that comes with the program, into ./chain-results
//   run_scene SCENE FOLDER        any scene, by name or as a TOML file
//
// Build it with CMake: find_package(stiffly), then link stiffly::stiffly.
#include <cstdio>
#include <stiffly/error.hpp>
#include <stiffly/results/scene_run.hpp>

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "chain";
  const std::filesystem::path folder = argc > 2 ? argv[2] : name + "-results";
  try {
    // 1. The scene, ready to be simulated: particles, forces, and the settings of the simulation. Overrides
    // take the
    //    place of values in the file.
    const stiffly::Override shorter{"duration", "0.05"};
    stiffly::SceneRun run(stiffly::load_scene(stiffly::find_scene(name), std::span(&shorter, 1)),
                          {.folder = folder});

    // 2. The simulation. The observer is optional: here it counts, and would end the run early by returning
    // false.
    long states = 0;
    const stiffly::RunReport report = run.simulate(
        {.step = [&](const stiffly::State&, const stiffly::SimulationSummary&) { return ++states > 0; }});

    // 3. What came of it: the report here, everything else in the folder.
    const auto& energies = run.record().energies;
    std::printf("%s: %s after %ld steps (%ld states seen)\n", name.c_str(), name_of(report.status).c_str(),
                report.summary.steps, states);
    std::printf("energy %.6g J at the start, %.6g J at t = %g s\n", energies.front().total,
                energies.back().total, run.state().time);
    std::printf("results in %s\n", folder.c_str());
    return report.status == stiffly::RunStatus::done ? 0 : 1;
  } catch (const stiffly::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
