// Runs that the tests of the viewer look at, each made when it is first asked for.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as b from "./browser.mjs";

/** A bead and a block of three that fall on a ball, a box that turns and a floor that rises. */
const falling = `[simulation]
duration = 0.37
step = 0.0031
integrator = "newmark"
frames = 40
gravity = [0, 0, -9.81]
[contact]
stiffness = 3e3
range = 0.03
radius = 0.02
[[particle]]
position = [0.013, 0.007, 0.41]
mass = 0.2
[[particle]]
position = [0.31, 0, 0.17]
mass = 0.1
[[particle]]
position = [0.37, 0.01, 0.17]
mass = 0.1
[[spring]]
ends = [1, 2]
stiffness = 900
[[obstacle]]
shape = "sphere"
point = [0, 0, 0.12]
radius = 0.11
[[obstacle]]
shape = "box"
point = [-0.35, 0.1, 0.1]
sides = [0.17, 0.17, 0.13]
pivot = [-0.35, 0.1, 0]
rotation_z = "2 * t"
[[obstacle]]
shape = "half-space"
z = "0.05 * t"
`;

export const pulled = `[simulation]
duration = 0.43
step = 0.0037
integrator = "newmark"
gravity = [0, 0, -9.81]
[[particle]]
position = [0, 0, 0]
mass = 1
pinned = true
[[particle]]
position = [0, 0, -0.7]
mass = 1.3
[[particle]]
position = [0, 0, -1.4]
mass = 0.9
[[spring]]
ends = [0, 1]
stiffness = 3100
[[spring]]
ends = [1, 2]
stiffness = 2900
`;

export function scene(name, text) {
  const path = join(b.folder, `${name}.toml`);
  writeFileSync(path, text);
  return path;
}

const words = {
  coil: () => ["coil", "--duration", "0.31", "--step", "0.01", "--frames", "40"],
  softer: () => ["coil", "--duration", "0.31", "--step", "0.01", "--frames", "40", "--set", "stiffness=3e5"],
  flag: () => ["flag", "--duration", "0.21", "--step", "0.01", "--integrator", "newmark", "--frames", "40"],
  sheet: () => ["flag", "--set", "rows=120", "--set", "columns=150", "--duration", "4e-5", "--step", "1e-5", "--integrator", "verlet", "--frames", "100000"],
  tower: () => ["tower", "--duration", "0.31", "--frames", "40"],
  hair: () => ["hair", "--set", "count=150", "--duration", "0.6", "--tolerance", "0.1", "--frames", "20"],
  whole_hair: () => ["hair", "--duration", "1", "--tolerance", "0.1", "--frames", "20"],
  knot: () => ["knot", "--duration", "0.11", "--frames", "40"],
  brush: () => ["toothbrush"],
  falling: () => [scene("falling", falling)],
  pulled_alone: () => [scene("pulled", pulled)],
};

/** The folder of that run. */
export function run(name) {
  const folder = join(b.folder, name);
  if (!existsSync(folder)) b.stiffly("run", ...words[name](), "-o", folder);
  return folder;
}
