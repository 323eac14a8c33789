// docs/scenes.md, written from the specification of keys.
#include <fmt/format.h>

#include "stiffly/scene/model.hpp"
#include "stiffly/scene/scene_file.hpp"
#include "stiffly/scene/specification.hpp"

namespace stiffly {
namespace {

constexpr std::string_view introduction = R"page(# Scene files

<!-- Written by `stiffly list keys --markdown`; edit src/stiffly/scene/specification.cpp instead. -->

A scene is a TOML file. All units are SI. Keys are strict: an unknown or misspelt one is an error that names the
nearest valid key. The smallest scene of one's own:

```toml
[simulation]
duration = 0.5            # s
integrator = "exprb42"    # any registered name, or "auto"
step = 0.01               # s
gravity = [0, 0, -9.81]
[[particle]]
position = [0, 0, 0]      # m
mass = 0.01               # kg
pinned = true
[[particle]]
position = [0.1, 0, 0]
mass = 0.01
[[spring]]
ends = [0, 1]
stiffness = 1e5           # N/m
```

```sh
stiffly run my.toml -o out
```

## Changing values without editing

`--set KEY=VALUE` replaces any value: `--set simulation.step=0.001`, `--set model.turns=4`. The section may be left
out where only one has that key (`--set stiffness=1e5`). For lists, `spring.stiffness` means all springs and
`spring.3.stiffness` the fourth one. The options `--integrator`, `--evaluator`, `--phi-tolerance`, `--step`,
`--duration`, `--frames` and `--reformulation` are short for the keys of the same names in [simulation].

## Sizes

A scene that comes in several sizes lists what differs in tables `[sizes.NAME.SECTION]`, and `size` (or
`--set size=NAME`) chooses one:

```toml
size = "full"
[model]
kind = "coil"
[sizes.small.model]
turns = 3
```

## Particles and springs from CSV files

`particles = "p.csv"` and `springs = "s.csv"`, at the top of the file or in [simulation], read the same values from
tables, relative to the scene file. The first line names the columns, in any order. Vectors take one column per
component: `x,y,z` for the position, `vx,vy,vz` for the velocity, `first,second` (or `i,j`) for the ends. All other
columns are called as the keys below; a vector may also stand in one column of its key's name, as `"0 0 1"`. An
optional first column `particle` (or `spring`) numbers the rows from 0. Empty cells take the default; lines that are
empty or start with `#` are skipped.

## Functions of time

Fields, motions and motors take expressions of `t`, the time in s: `"0.1 * sin(2*pi*t)"`. There are + - * / ^ and parentheses,
numbers, `pi`, `e`, and the functions sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, min(a, b),
max(a, b), step(a) (0 for a < 0, else 1) and smoothstep(a) (0 up to a = 0, 1 from a = 1 on, smooth between). Velocities of
moved particles are the exact derivatives.

```toml
[[motion]]                # all pinned particles swing, growing slowly
x = "0.1 * smoothstep(t/2) * sin(2*pi*t)"
[[motion]]                # particle 4 turns once around the z axis through (0, 0, 1) and stays
particles = [4]
times = [0, 2]
rotations = [[0, 0, 0], [0, 0, 6.283185307179586]]
pivot = [0, 0, 1]
[[field]]                 # gravity that is switched on
z = "-9.81 * step(t - 0.5)"
```

## Results

With `-o DIR` a run leaves these files:

| file | what it has |
|---|---|
| `run.json` | the settings in effect, versions, hardware, steps, times, energy, momentum, work, warnings; written last |
| `final.csv` | the last state; of a run that failed `last_good.csv` |
| `frames.h5` | HDF5: `time` (frames), `position` and `velocity` (frames × points × 3), `triangles`, `tetrahedra`, `springs` (numbers of points), `format` (`stiffly frames 2`). With checksums: a table in chunks of whole frames with HDF5's Fletcher-32 filter, metadata as of HDF5 1.10; points are the particles in the order of the scene, but for fibres: see below |
| `frames.pvd`, `frames/` | the same for ParaView, with `--vtu` |
| `energy.csv`, `counters.csv` | energies; steps and work since the start |
| `motion.png`, `balance.png` | pictures; where the energy is and where it went |
| `checkpoint.bin` | what `--resume DIR` goes on from: the state, what the method remembers, scene and options; with a checksum, so that a damaged one is refused |

Frames are at the exact times k/`frames`, the start included, whatever the steps: within steps positions and velocities
are interpolated (cubic, with the velocities at both ends). A frame takes 48 bytes per particle.

Where a scene has fibres, `frames.h5` has their centre lines: the four particles of each cross-section give way to one
point, their mean, so that points come in the order of particles and those of a fibre run from its root to its tip.
`strands` (fibres × 2) has the first point of each fibre and how many it has; `particle` (points × 1) the number of each
point's particle, or of the first of the four. `triangles` and `tetrahedra` are numbers of points as ever, `springs` those that belong
to no fibre. `position` and `velocity` are then of single precision (24 bytes per point); `final.csv` has all particles.

Where there are obstacles, `obstacle_point` (x, y, z of one point after the other, where they lie before anything moves),
`obstacle_of_point`, `obstacle_triangles` (points) and `obstacle_endless` (1: the drawn piece of a plane) say what they look
like, and `obstacle_pose` (frames × obstacles × 12) where they are: the places of what was at the origin and at the ends of the
three unit vectors. `contact` (frames × points) is then the size of the forces by which each point is touched, N;
`obstacle_contact` (frames × points of obstacles, single precision, besides the 256 MB below), where an obstacle ends, for how
long things have touched it there so far, s (docs/contact.md).

Unless `--frames` says
otherwise there are 25 per second, or a hundred over the duration if that is more, but never more than 256 MB in all;
`--frames 0` writes none. Frames are on disk up to the last step also where a run fails or is interrupted, and a resumed
run goes on with the frame after its checkpoint. New frames come to the file all at once: what lies past its end first,
then the rest by way of `.frames.h5.journal`, which is there only for that moment. Where a program is killed just then,
`--resume` sees the file through its journal.

While a run writes into a folder, it holds a lock on `.lock` there, which ends with the process; a second run into the
same folder is refused. `stiffly run --resume DIR` goes on with the scene and the options of the run in DIR; where they
are given again, they must be the same. Checkpoints are at 50 moments of the duration, but one that comes within five
seconds of computing after the last is not written.

Energy is book-kept: kinetic + potential changes by what supports and changing fields bring in, less what dampers and wind
take (below 0 where wind feeds the motion), and by the numerical error, which is what is left over. `energy.csv` has it in
J at each record: `t,kinetic,potential,total`, `weight` (the part of the potential that weight and fields have), then since
the start `supports`, `fields`, `dissipated`, `error`; and the momentum of the free particles, `px,py,pz` in N s and, about
their centre of mass, `lx,ly,lz` in N m s. `run.json` has the same at the end in `energy` (`dissipated` by name, and
`given_up`: lost in steps under a tolerance that no shorter one could mend; `unresolved`: what dampers may have taken more or less,
in vibrations within long steps of methods that follow them) and `momentum`; `contact`, where things can touch, has the most `pairs` within
their range, and how `deepest` they overlapped at the end of any step, in m; `plastic`, where things can yield, what that took
(docs/plasticity.md; it is in the potential energy); `energy.max_drift` is the
largest change of kinetic + potential, whatever the reason. Sums are taken along the steps, by Simpson's rule with a state
interpolated in the middle of each: what vibrates faster than the steps is not resolved, and what dampers take from it
counts as numerical error. A run without a folder keeps no such books where something damps or drives the system, and has
null there.

Warnings are lines on standard error and texts in `warnings` of `run.json`, each with its kind in brackets at the end:
`no-effect` (a key that changes nothing), `nothing-pinned`, `parts-left-out`, `more-particles`, `thin-body` (up to
five linear tetrahedra across bend too stiffly, and by about how much), `energy-error`, `energy-given-up`, `angular-momentum-error`, `stability-limit` (steps shorter than the tolerance
needs), `not-apart` (fibres that a force ties to the same steps), `penetration` (of things into each other), `frames-interpolated` (vibrations within steps that frames do not show).

`final.csv` has one row `particle,x,y,z,vx,vy,vz` per particle, pinned ones too, with 17 digits. Models whose unknowns
are not positions in space (`fput` and the test equations) have one row per unknown instead, with the unknown in `x`,
its velocity in `vx`, and zeros elsewhere.
)page";

std::string escaped(std::string text) {
  for (std::size_t i = text.find('|'); i != std::string::npos; i = text.find('|', i + 2))
    text.replace(i, 1, "\\|");
  return text;
}

std::string fallback(const Key& key) {
  if (key.required) return "required";
  if (!key.fallback) return key.fallback_help;
  return fmt::format("`{}`", to_text(*key.fallback));
}

std::string table(const Section& section, std::size_t first = 0) {
  std::string out = "\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (std::size_t i = first; i < section.keys.size(); ++i) {
    const Key& key = section.keys[i];
    const std::string range = key.range();
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name,
                       escaped(range.empty()         ? describe(key.type)
                               : key.choices.empty() ? describe(key.type) + ", " + range
                                                     : range),
                       key.unit, fallback(key), escaped(key.help));
  }
  return out;
}

}  // namespace

std::string reference_page() {
  std::string page(introduction);
  page += "\n## Keys\n";
  page += "\n### The top of the file\n" + table(root_section());
  std::vector<const Section*> sections = {&simulation_section(), &damping_section(), &contact_section(),
                                          &fluid_section(), &plasticity_section()};
  for (const RepeatedSection& repeated : repeated_sections()) sections.push_back(&repeated.section());
  for (const Section* section : sections)
    page += fmt::format("\n### {}\n\n{}\n{}", section->title(), section->help, table(*section));
  page += "\n### [model]\n\nWithout this table the scene is of kind `\"particles\"`.\n";
  Section kind{"model", false, "", {model_section("particles").keys.front()}, {}};
  page += table(kind);
  for (const Model& model : models()) {
    const Section& section = model_section(model.kind);
    page += fmt::format("\n#### kind = \"{}\"\n\n{}.\n", model.kind, model.summary);
    if (section.keys.size() > 1) page += table(section, 1);
  }
  return page;
}

}  // namespace stiffly
