// What particles are coloured by, computed from a frame.
import type { Topology } from "./api";
import type { Frame } from "./frames";

export type QuantityName = "plain" | "speed" | "strain" | "force" | "energy" | "contact" | "touched" | "difference";

export interface Quantity {
  name: QuantityName;
  label: string;
  unit: string;
  signed: boolean;
  /** said under the colour bar */
  note?: string;
}

/** One body: its topology, and its first frame for what is measured against it. */
export interface Material {
  topology: Topology;
  first: Frame;
}

/** The frame of the other run at the same time, and where it has each point; none: where this one has it. */
export interface Counterpart {
  frame: Frame;
  places?: Int32Array;
}

const fibreLines = new WeakMap<Topology, Int32Array>();

/** Ends of springs, else of edges, else of what fibres are made of. */
export function lines(topology: Topology): Int32Array {
  if (topology.springs.length) return topology.springs;
  if (topology.edges.length || !topology.strands.length) return topology.edges;
  let out = fibreLines.get(topology);
  if (!out) {
    const { strands } = topology;
    let count = 0;
    for (let s = 0; s < strands.length; s += 2) count += strands[s + 1] - 1;
    out = new Int32Array(2 * count);
    for (let s = 0, to = 0; s < strands.length; s += 2)
      for (let i = strands[s]; i + 1 < strands[s] + strands[s + 1]; i++, to += 2) [out[to], out[to + 1]] = [i, i + 1];
    fibreLines.set(topology, out);
  }
  return out;
}

/** Whether a value takes more points than its own, and those not of its own fibre. */
export function needsNeighbours(name: QuantityName, { springs, edges }: Topology): boolean {
  return (name === "strain" || name === "force" || name === "energy") && springs.length + edges.length > 0;
}

function hasMaterials(topology: Topology): boolean {
  return topology.springs.length > 0 && topology.rest_length.length === topology.springs.length / 2;
}

/** What can be shown of it, the first one to begin with. */
export function quantitiesOf(material: Material, compared: boolean): Quantity[] {
  const { topology } = material;
  const known = hasMaterials(topology);
  const out: Quantity[] = [{ name: "speed", label: "Speed", unit: "m/s", signed: false }];
  if (lines(topology).length)
    out.push({
      name: "strain", label: "Strain", unit: "", signed: true,
      note: known
        ? "of the spring at a particle that is strained most"
        : "of the edge that is strained most, against the first frame",
    });
  if (known)
    out.push({ name: "force", label: "Force", unit: "N", signed: true, note: "largest tension (+) or thrust (−) of springs at a particle" });
  if (known && topology.mass.length)
    out.push({ name: "energy", label: "Energy", unit: "J", signed: false, note: "kinetic, and half of what springs at a particle store" });
  if (material.first.contact.length)
    out.push({ name: "contact", label: "Contact", unit: "N", signed: false, note: "size of the forces by which a particle is touched" });
  if (material.first.contactTime.length)
    out.push({ name: "touched", label: "Contact so far", unit: "s", signed: false, note: "time for which obstacles were touched, times the number of what touched there" });
  if (compared) out.unshift({ name: "difference", label: "Difference", unit: "m", signed: false, note: "distance of a particle in the two runs" });
  out.push({ name: "plain", label: "Plain", unit: "", signed: false });
  return out;
}

const rest = new WeakMap<Topology, Float32Array>();

/** Lengths at rest; where they are not known, those of the first frame. */
function restLengths({ topology, first }: Material): Float32Array {
  if (hasMaterials(topology)) return topology.rest_length;
  let out = rest.get(topology);
  if (!out) {
    const pairs = lines(topology);
    out = new Float32Array(pairs.length / 2);
    for (let s = 0; s < out.length; s++) out[s] = length(first, pairs[2 * s], pairs[2 * s + 1]);
    rest.set(topology, out);
  }
  return out;
}

function length({ positions: p }: Frame, a: number, b: number): number {
  const x = p[3 * a] - p[3 * b];
  const y = p[3 * a + 1] - p[3 * b + 1];
  const z = p[3 * a + 2] - p[3 * b + 2];
  return Math.sqrt(x * x + y * y + z * z);
}

/** The value of the largest magnitude among the springs of each particle. */
function extremes(material: Material, frame: Frame, value: (stretch: number, spring: number) => number, out: Float32Array): void {
  const pairs = lines(material.topology);
  const rests = restLengths(material);
  out.fill(0);
  for (let s = 0; s < rests.length; s++) {
    const a = pairs[2 * s];
    const b = pairs[2 * s + 1];
    if (b >= frame.points) break; // fibres of which this frame has only the first
    const v = value(length(frame, a, b) - rests[s], s);
    const size = Math.abs(v);
    if (size > Math.abs(out[a])) out[a] = v;
    if (size > Math.abs(out[b])) out[b] = v;
  }
}

/** Of the points that the frame has. */
export function evaluate(name: QuantityName, material: Material, frame: Frame, out: Float32Array, other?: Counterpart): void {
  const { topology } = material;
  const { points } = frame;
  const rests = name === "strain" || name === "force" || name === "energy" ? restLengths(material) : undefined;
  const { stiffness, hardening, mass } = topology;
  switch (name) {
    case "plain":
    case "touched": // of obstacles
      out.fill(0);
      break;
    case "speed":
      out.set(frame.speeds);
      break;
    case "contact":
      out.set(frame.contact);
      break;
    case "strain":
      extremes(material, frame, (stretch, s) => (rests![s] > 0 ? stretch / rests![s] : 0), out);
      break;
    case "force":
      extremes(material, frame, (stretch, s) => {
        const r = stretch / rests![s];
        return stiffness[s] * stretch * (1 + hardening[s] * r * r);
      }, out);
      break;
    case "energy": {
      for (let i = 0; i < points; i++) out[i] = 0.5 * mass[i] * frame.speeds[i] ** 2;
      const pairs = topology.springs;
      for (let s = 0; s < rests!.length; s++) {
        const a = pairs[2 * s];
        const b = pairs[2 * s + 1];
        const stretch = length(frame, a, b) - rests![s];
        const r = stretch / rests![s];
        const half = 0.25 * stiffness[s] * stretch * stretch * (1 + 0.5 * hardening[s] * r * r);
        out[a] += half;
        out[b] += half;
      }
      break;
    }
    case "difference":
      if (!other) {
        out.fill(0);
        break;
      }
      {
        const p = frame.positions, q = other.frame.positions;
        for (let k = 0; k < points; k++) {
          const i = 3 * k, j = 3 * (other.places?.[k] ?? k);
          out[k] = Math.hypot(p[i] - q[j], p[i + 1] - q[j + 1], p[i + 2] - q[j + 2]);
        }
      }
      break;
  }
}

/** What all but a hundredth of the values stay below. */
export function extent(values: Float32Array, share = 0.99): number {
  const stride = Math.max(1, Math.floor(values.length / 20000));
  const sizes: number[] = [];
  for (let i = 0; i < values.length; i += stride) {
    const size = Math.abs(values[i]);
    if (Number.isFinite(size)) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.min(sizes.length - 1, Math.floor(share * sizes.length))] : 0;
}

/** The same of what was touched at all: few places are, and some of those for very long. */
export function touchedExtent({ contactTime }: Frame): number {
  return extent(contactTime.filter((time) => time > 0), 0.95);
}

export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const decade = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) if (value <= step * decade * (1 + 1e-9)) return step * decade;
  return 10 * decade;
}
