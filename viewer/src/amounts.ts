// How much of a body is drawn where all would be too slow, and which of its points that takes: points come so that any
// beginning of them is all of the body, coarser.
import type { Topology } from "./api";

export type Part = "surface" | "springs" | "fibres" | "particles" | "obstacles";

/** One of the surfaces of a body: its triangles within those of all, and the points it needs. */
export interface Surface {
  points: number;
  first: number;
  triangles: number;
}

export class Amounts {
  /** corners of all surfaces, one after the other */
  readonly corners: Uint32Array;
  /** from all triangles to the coarsest */
  private readonly surfaces: Surface[] = [];

  constructor(private readonly topology: Topology, private readonly particles: number) {
    const { triangles, coarse_surfaces, coarse_triangles } = topology;
    this.corners = new Uint32Array(triangles.length + coarse_triangles.length);
    this.corners.set(triangles);
    this.corners.set(coarse_triangles, triangles.length);
    const points = triangles.reduce((most, corner) => Math.max(most, corner + 1), 0);
    this.surfaces.push({ points, first: 0, triangles: triangles.length / 3 });
    for (let k = 0, first = triangles.length / 3; k < coarse_surfaces.length; first += coarse_surfaces[k + 1], k += 2)
      this.surfaces.push({ points: coarse_surfaces[k], first, triangles: coarse_surfaces[k + 1] });
  }

  get all(): Record<Exclude<Part, "obstacles">, number> {
    const { springs, edges, strands } = this.topology;
    return { surface: this.surfaces[0].triangles, springs: (springs.length || edges.length) / 2, fibres: strands.length / 2, particles: this.particles };
  }

  /** The finest surface of at most that share of all triangles, and of points that are there; else the coarsest. */
  surface(share: number, have = Infinity): Surface {
    const most = share * this.surfaces[0].triangles;
    return this.surfaces.find(({ triangles, points }) => triangles <= most && points <= have) ?? this.surfaces[this.surfaces.length - 1];
  }

  /** How many of the first springs, fibres or particles are drawn, with so many points there. */
  count(part: "springs" | "fibres" | "particles", share: number, have = Infinity): number {
    const all = this.all[part];
    const wanted = Math.min(all, Math.max(1, Math.round(share * all)));
    if (have >= this.particles) return wanted;
    let count = 0;
    while (count < wanted && this.end(part, count) <= have) count++;
    return count;
  }

  /** Behind the points that one of them needs. */
  private end(part: "springs" | "fibres" | "particles", k: number): number {
    const { springs, edges, strands } = this.topology;
    if (part === "particles") return k + 1;
    if (part === "fibres") return strands[2 * k] + strands[2 * k + 1];
    const pairs = springs.length ? springs : edges;
    return Math.max(pairs[2 * k], pairs[2 * k + 1]) + 1;
  }

  /** How many of the first points a picture of these parts takes. */
  points(share: number, parts: Iterable<Part>): number {
    let points = 1;
    for (const part of parts) {
      if (part === "obstacles") continue;
      if (part === "surface") {
        points = Math.max(points, this.surface(share).points);
        continue;
      }
      const count = this.count(part, share);
      for (let k = part === "springs" ? 0 : count - 1; k < count; k++) points = Math.max(points, this.end(part, k));
    }
    return Math.min(points, this.particles);
  }
}
