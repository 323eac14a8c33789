// One run's body: what of it is drawn, and how much.
import * as three from "three";
import * as colours from "./colours";
import { evaluate, type Material, type Quantity } from "./quantities";
import * as shaders from "./shaders";
import type { Frame } from "./frames";
import type { Topology } from "./api";

/** More triangles than this are lit flat: their normals would have to be computed anew in every frame. */
const most_smooth = 150_000;
/** More springs than this are lines of one pixel. */
const most_rods = 40_000;

export type Part = "surface" | "springs" | "particles";

export interface Detail {
  /** share of springs and particles that is drawn */
  share: number;
}

export class Body {
  readonly group = new three.Group();
  readonly values: Float32Array;
  readonly parts: Part[] = [];
  readonly box = new three.Box3();
  readonly material: Material;
  private readonly now: three.DataTexture;
  private readonly start: three.DataTexture;
  private readonly normals?: three.DataTexture;
  private readonly scales: Record<"signed" | "unsigned", three.DataTexture>;
  private readonly uniforms: Record<string, three.IUniform>;
  private readonly objects = new Map<Part, three.Object3D & { geometry: three.BufferGeometry }>();
  private readonly counts = new Map<Part, number>();

  /** `curve`: the particles are unknowns in a row, each with one number, and not places in space. */
  constructor(topology: Topology, readonly particles: number, first: Frame, private readonly curve: boolean) {
    const start = curve ? this.asCurve(first) : first;
    this.material = { topology, particles, first: start };
    this.values = new Float32Array(particles);
    this.now = this.texture();
    this.start = this.texture();
    this.fill(this.start, start);
    this.start.needsUpdate = true;
    for (let i = 0; i < particles; i++) {
      const at = new three.Vector3(start[3 * i], start[3 * i + 1], start[3 * i + 2]);
      if (Number.isFinite(at.lengthSq())) this.box.expandByPoint(at);
    }
    const size = this.box.isEmpty() ? 1 : Math.max(1e-9, this.box.getSize(new three.Vector3()).length());
    const smooth = topology.triangles.length > 0 && topology.triangles.length / 3 <= most_smooth;
    if (smooth) this.normals = this.texture();
    this.scales = { signed: scaleOf(colours.divergingTable), unsigned: scaleOf(colours.sequentialTable) };
    this.uniforms = {
      now: { value: this.now }, start: { value: this.start }, normals: { value: this.normals ?? this.start },
      smoothed: { value: smooth ? 1 : 0 }, magnification: { value: 1 }, scale: { value: this.scales.unsigned },
      range: { value: new three.Vector2(0, 1) }, plain: { value: 0 }, plainColour: { value: new three.Color(0x8fa3b5) },
      strength: { value: 1 }, up: { value: new three.Vector3(0, 1, 0) }, pixel: { value: new three.Vector2(1e-3, 1e-3) },
      radius: { value: this.radius(size) }, chosen: { value: -1 },
    };
    this.build(topology);
  }

  /** Half the thickness of rods: a share of what a typical spring is long. */
  private radius(size: number): number {
    const { springs, edges } = this.material.topology;
    const pairs = springs.length ? springs : edges;
    const first = this.material.first;
    const lengths: number[] = [];
    const stride = Math.max(1, Math.floor(pairs.length / 2 / 500));
    for (let s = 0; s < pairs.length / 2; s += stride) {
      const [a, b] = [3 * pairs[2 * s], 3 * pairs[2 * s + 1]];
      lengths.push(Math.hypot(first[a] - first[b], first[a + 1] - first[b + 1], first[a + 2] - first[b + 2]));
    }
    lengths.sort((a, b) => a - b);
    const typical = lengths.length ? lengths[lengths.length >> 1] : size / Math.cbrt(this.particles + 1);
    return Math.min(0.06 * typical, 0.006 * size) || 0.005 * size;
  }

  private texture(): three.DataTexture {
    const height = Math.max(1, Math.ceil(this.particles / shaders.textureWidth));
    const out = new three.DataTexture(
      new Float32Array(4 * shaders.textureWidth * height), shaders.textureWidth, height, three.RGBAFormat, three.FloatType);
    out.minFilter = out.magFilter = three.NearestFilter;
    return out;
  }

  private asCurve(frame: Frame): Frame {
    const n = frame.length / 4;
    const out = new Float32Array(frame);
    let most = 0;
    for (let i = 0; i < n; i++) most = Math.max(most, Math.abs(frame[3 * i]));
    const spacing = this.spacing ?? (this.spacing = n > 1 ? (3 * (most || 1)) / (n - 1) : 1);
    for (let i = 0; i < n; i++) {
      out[3 * i] = i * spacing;
      out[3 * i + 2] = frame[3 * i];
    }
    return out;
  }
  private spacing?: number;

  private fill(texture: three.DataTexture, frame: Frame): void {
    const data = texture.image.data as unknown as Float32Array;
    for (let i = 0, from = 0, to = 0; i < this.particles; i++, from += 3, to += 4) {
      data[to] = frame[from];
      data[to + 1] = frame[from + 1];
      data[to + 2] = frame[from + 2];
    }
  }

  private shader(kind: { vertex: string; fragment: string }, more: three.ShaderMaterialParameters = {}): three.ShaderMaterial {
    return new three.ShaderMaterial({
      vertexShader: kind.vertex, fragmentShader: kind.fragment, glslVersion: three.GLSL3, uniforms: this.uniforms, ...more,
    });
  }

  private add(part: Part, object: three.Object3D & { geometry: three.BufferGeometry }, count: number): void {
    object.frustumCulled = false;
    this.group.add(object);
    this.objects.set(part, object);
    this.counts.set(part, count);
    this.parts.push(part);
  }

  private build(topology: Topology): void {
    const numbers = new three.BufferAttribute(Float32Array.from({ length: this.particles }, (_, i) => i), 1);
    if (topology.triangles.length) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("number", numbers);
      geometry.setIndex(new three.BufferAttribute(new Uint32Array(topology.triangles), 1));
      this.add("surface", new three.Mesh(geometry, this.shader(shaders.surface, { side: three.DoubleSide })), topology.triangles.length / 3);
    }
    let pairs = topology.springs.length ? topology.springs : topology.edges;
    if (this.curve) pairs = chain(this.particles);
    if (pairs.length) this.addLines(shuffledPairs(pairs), numbers);
    const points = new three.BufferGeometry();
    points.setAttribute("number", numbers);
    points.setIndex(new three.BufferAttribute(shuffled(this.particles), 1));
    this.add("particles", new three.Points(points, this.shader(shaders.dots)), this.particles);
  }

  private addLines(pairs: Uint32Array, numbers: three.BufferAttribute): void {
    const count = pairs.length / 2;
    if (count > most_rods) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("number", numbers);
      geometry.setIndex(new three.BufferAttribute(pairs, 1));
      this.add("springs", new three.LineSegments(geometry, this.shader(shaders.threads)), count);
      return;
    }
    const geometry = new three.InstancedBufferGeometry();
    geometry.setAttribute("corner", new three.BufferAttribute(new Float32Array([0, -1, 1, -1, 1, 1, 0, 1]), 2));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("ends", new three.InstancedBufferAttribute(new Float32Array(pairs), 2));
    this.add("springs", new three.Mesh(geometry, this.shader(shaders.rods, { side: three.DoubleSide })), count);
  }

  /** What is shown without being asked for: a surface, else springs, else particles. */
  byDefault(part: Part): boolean {
    if (part === "surface") return true;
    if (part === "springs") return !this.objects.has("surface");
    return !this.objects.has("surface") && (!this.objects.has("springs") || this.particles <= 400);
  }

  show(part: Part, visible: boolean): void {
    const object = this.objects.get(part);
    if (object) object.visible = visible;
  }

  /** Takes a frame in: values for colours, places for the picture. `other`: that of the other run. */
  set(raw: Frame, quantity: Quantity, other?: Frame): void {
    const frame = this.curve ? this.asCurve(raw) : raw;
    evaluate(quantity.name, this.material, frame, this.values, other);
    this.fill(this.now, frame);
    const data = this.now.image.data as unknown as Float32Array;
    for (let i = 0, to = 3; i < this.particles; i++, to += 4) data[to] = this.values[i];
    this.now.needsUpdate = true;
    if (this.normals && this.objects.get("surface")?.visible) this.computeNormals(frame, this.normals);
  }

  /** Sums of the normals of the triangles at each particle, weighted by area. */
  private computeNormals(x: Frame, texture: three.DataTexture): void {
    const data = texture.image.data as unknown as Float32Array;
    const t = this.material.topology.triangles;
    data.fill(0);
    for (let k = 0; k < t.length; k += 3) {
      const [a, b, c] = [3 * t[k], 3 * t[k + 1], 3 * t[k + 2]];
      const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
      const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (let corner = 0; corner < 3; corner++) {
        const to = 4 * t[k + corner];
        data[to] += nx;
        data[to + 1] += ny;
        data[to + 2] += nz;
      }
    }
    // Sums of tiny triangles would be lost in the shader's arithmetic.
    for (let to = 0; to < 4 * this.particles; to += 4) {
      const size = Math.hypot(data[to], data[to + 1], data[to + 2]) || 1;
      data[to] /= size;
      data[to + 1] /= size;
      data[to + 2] /= size;
    }
    texture.needsUpdate = true;
  }

  colourBy(quantity: Quantity, most: number): void {
    this.uniforms.plain.value = quantity.name === "plain" ? 1 : 0;
    this.uniforms.scale.value = quantity.signed ? this.scales.signed : this.scales.unsigned;
    (this.uniforms.range.value as three.Vector2).set(quantity.signed ? -most : 0, most);
  }

  magnify(factor: number): void {
    this.uniforms.magnification.value = factor;
  }
  choose(particle: number): void {
    this.uniforms.chosen.value = particle;
  }

  /** Where a particle is drawn. */
  shown(particle: number, out: three.Vector3): three.Vector3 {
    const now = this.now.image.data as unknown as Float32Array;
    const start = this.start.image.data as unknown as Float32Array;
    const m = this.uniforms.magnification.value as number;
    const at = (k: number) => start[4 * particle + k] + m * (now[4 * particle + k] - start[4 * particle + k]);
    return out.set(at(0), at(1), at(2));
  }
  /** Where it is. */
  where(particle: number, out: three.Vector3): three.Vector3 {
    const now = this.now.image.data as unknown as Float32Array;
    return out.set(now[4 * particle], now[4 * particle + 1], now[4 * particle + 2]);
  }

  /** Things that a share of is drawn, where all are too many for the machine. */
  detail({ share }: Detail): void {
    for (const part of ["springs", "particles"] as const) {
      const object = this.objects.get(part);
      if (!object) continue;
      const count = Math.max(1, Math.round(share * this.counts.get(part)!));
      if (object.geometry instanceof three.InstancedBufferGeometry) object.geometry.instanceCount = count;
      else object.geometry.setDrawRange(0, count * (part === "springs" ? 2 : 1));
    }
  }
  /** Whether detail has anything to leave out. */
  get divisible(): boolean {
    return (["springs", "particles"] as const).some((part) => this.objects.get(part)?.visible);
  }

  beforeDrawing(camera: three.PerspectiveCamera, height: number): void {
    const perPixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
    (this.uniforms.pixel.value as three.Vector2).set(perPixel, perPixel);
    (this.uniforms.up.value as three.Vector3).set(0, 0, 1).transformDirection(camera.matrixWorldInverse);
  }

  darken(dark: boolean): void {
    (this.uniforms.plainColour.value as three.Color).set(dark ? 0xa9b8c6 : 0x7d91a5);
    this.uniforms.strength.value = dark ? 1 : 0.85;
  }

  dispose(): void {
    for (const object of this.objects.values()) object.geometry.dispose();
    for (const texture of [this.now, this.start, this.normals, this.scales.signed, this.scales.unsigned]) texture?.dispose();
  }
}

function scaleOf(table: Uint8Array): three.DataTexture {
  const out = new three.DataTexture(table, colours.entries, 1, three.RGBAFormat, three.UnsignedByteType);
  out.minFilter = out.magFilter = three.LinearFilter;
  out.needsUpdate = true;
  return out;
}

/** 0 … n − 1 so that any first part of it is spread over all: a fixed shuffle, the same every time. */
function shuffled(n: number): Uint32Array {
  const out = Uint32Array.from({ length: n }, (_, i) => i);
  let seed = 12345;
  for (let i = n - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((seed / 0x100000000) * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

function shuffledPairs(pairs: Int32Array): Uint32Array {
  const out = new Uint32Array(pairs.length);
  shuffled(pairs.length / 2).forEach((from, to) => {
    out[2 * to] = pairs[2 * from];
    out[2 * to + 1] = pairs[2 * from + 1];
  });
  return out;
}

function chain(n: number): Int32Array {
  const out = new Int32Array(2 * (n - 1));
  for (let i = 0; i + 1 < n; i++) [out[2 * i], out[2 * i + 1]] = [i, i + 1];
  return out;
}
