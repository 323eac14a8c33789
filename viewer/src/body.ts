// One run's body: what of it is drawn, and how much.
import * as three from "three";
import { Amounts, type Part, type Surface } from "./amounts";
import * as colours from "./colours";
import { Obstacles } from "./obstacles";
import { evaluate, lines, type Counterpart, type Material, type Quantity } from "./quantities";
import * as shaders from "./shaders";
import type { Frame } from "./frames";
import type { Topology } from "./api";

/** More triangles than this are lit flat: their normals would have to be computed anew in every frame. */
const most_smooth = 150_000;
/** More springs than this are lines of one pixel. */
const most_rods = 40_000;
/** Pieces that a fibre is drawn of, at least: where there are few, and where there are many. One of many points has as many. */
const fibre_pieces = { fine: 12, coarse: 5 };
/** More pieces of all fibres than this are not drawn for the sake of roundness. */
const most_fine_pieces = 36_000;
/** Rods and fibres are drawn by so many at once: without a graphics card one at a time takes fifty times as long. */
const bundle_size = 64;
/** Fibres that stand for others are thicker, but not more than this. */
const most_thicker = 2.5;

interface Drawn {
  object: three.Object3D;
  geometry?: three.BufferGeometry;
  /** of rods and fibres: how many of the last bundle are drawn, too */
  bandCount?: three.IUniform;
  /** triangles, springs, fibres or particles that are drawn now */
  count: number;
}

export class Body {
  readonly group = new three.Group();
  readonly values: Float32Array;
  readonly parts: Part[] = [];
  /** around all points of the first frame */
  readonly box = new three.Box3();
  readonly material: Material;
  readonly obstacles: Obstacles;
  /** of the points that the frame that is shown has */
  private now: three.DataTexture;
  private normals: three.DataTexture;
  private readonly start: three.DataTexture;
  private readonly scales: Record<"signed" | "unsigned", three.DataTexture>;
  private readonly uniforms: Record<string, three.IUniform>;
  private readonly drawn = new Map<Part, Drawn>();
  private readonly fibrePieces: number;
  private surface: Surface;
  private shadow?: three.Mesh;
  private grounded = true;
  private shaded = true;
  private have: number;
  private share = 1;

  /** `curve`: the particles are unknowns in a row, each with one number, and not places in space. */
  constructor(topology: Topology, readonly amounts: Amounts, readonly particles: number, first: Frame, private readonly curve: boolean) {
    const start = curve ? this.asCurve(first) : first;
    this.material = { topology, first: start };
    this.values = new Float32Array(particles);
    this.have = particles;
    this.now = texture(particles);
    this.normals = texture(topology.triangles.length ? particles : 1);
    this.start = texture(particles);
    this.surface = amounts.surface(1);
    fill(this.start, start);
    this.start.needsUpdate = true;
    const at = new three.Vector3();
    for (let i = 0; i < particles; i++) {
      at.fromArray(start.positions, 3 * i);
      if (Number.isFinite(at.lengthSq())) this.box.expandByPoint(at);
    }
    this.scales = { signed: colours.scaleOf(colours.divergingTable), unsigned: colours.scaleOf(colours.sequentialTable) };
    this.uniforms = {
      now: { value: this.now }, start: { value: this.start }, normals: { value: this.normals },
      smoothed: { value: 1 }, magnification: { value: 1 }, scale: { value: this.scales.unsigned },
      range: { value: new three.Vector2(0, 1) }, plain: { value: 0 }, plainColour: { value: new three.Color(0x8fa3b5) },
      strength: { value: 1 }, lift: { value: 0 }, ground: { value: 0 }, shade: { value: 0.1 }, up: { value: new three.Vector3(0, 1, 0) }, pixel: { value: new three.Vector2(1e-3, 1e-3) },
      radius: { value: 1 }, dotRadius: { value: 1 }, fibreRadius: { value: 1 }, thicker: { value: 1 }, chosen: { value: -1 },
    };
    this.obstacles = new Obstacles(topology);
    const longest = topology.strands.reduce((most, points, k) => (k % 2 ? Math.max(most, points) : most), 0);
    const affordable = Math.floor(most_fine_pieces / Math.max(1, amounts.all.fibres));
    this.fibrePieces = Math.max(fibre_pieces.coarse, Math.min(affordable, Math.max(fibre_pieces.fine, longest - 1)));
    this.build(topology);
  }

  /** Where the ground is, if it is drawn. */
  stand(ground: number, visible: boolean): void {
    this.uniforms.ground.value = ground;
    this.grounded = visible;
    this.shade(this.shaded);
  }
  /** Whether shadows are drawn, where there is a ground. */
  shade(shaded: boolean): void {
    this.shaded = shaded;
    if (this.shadow) this.shadow.visible = this.grounded && shaded && this.smooth;
  }
  /** Whether there are few enough triangles to compute normals of in every frame. */
  private get smooth(): boolean {
    return this.surface.triangles <= most_smooth;
  }

  /** How thick things are drawn in a picture of something of that size. */
  fit(size: number): void {
    const radius = this.radius(size);
    this.uniforms.radius.value = radius;
    this.uniforms.fibreRadius.value = Math.max(2.5e-4, 0.004 / Math.sqrt(this.amounts.all.fibres || 1)) * size;
    this.uniforms.dotRadius.value = Math.max(radius, 0.014 * size / Math.max(1, Math.sqrt(this.particles / 4)));
  }

  /** Half the thickness of rods: a share of what a typical spring is long. */
  private radius(size: number): number {
    const pairs = lines(this.material.topology);
    const first = this.material.first.positions;
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

  private asCurve(frame: Frame): Frame {
    const x = frame.positions;
    const n = frame.points;
    const positions = new Float32Array(x);
    let most = 0;
    for (let i = 0; i < n; i++) most = Math.max(most, Math.abs(x[3 * i]));
    const spacing = this.spacing ?? (this.spacing = n > 1 ? (3 * (most || 1)) / (n - 1) : 1);
    for (let i = 0; i < n; i++) {
      positions[3 * i] = i * spacing;
      positions[3 * i + 2] = x[3 * i];
    }
    return { ...frame, positions };
  }
  private spacing?: number;

  private shader(kind: { vertex: string; fragment: string }, more: three.ShaderMaterialParameters = {}): three.ShaderMaterial {
    return new three.ShaderMaterial({
      vertexShader: kind.vertex, fragmentShader: kind.fragment, glslVersion: three.GLSL3, uniforms: this.uniforms, ...more,
    });
  }

  private add(part: Part, object: three.Object3D, geometry?: three.BufferGeometry, bandCount?: three.IUniform): void {
    object.frustumCulled = false;
    this.group.add(object);
    this.drawn.set(part, { object, geometry, bandCount, count: 0 });
    this.parts.push(part);
  }

  private build(topology: Topology): void {
    const numbers = new three.BufferAttribute(Float32Array.from({ length: this.particles }, (_, i) => i), 1);
    if (topology.triangles.length) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("number", numbers);
      geometry.setIndex(new three.BufferAttribute(this.amounts.corners, 1));
      // What fibres grow on is not what is looked at.
      const uniforms = topology.strands.length ? { ...this.uniforms, plain: { value: 1 } } : this.uniforms;
      const material = this.shader(shaders.surface, { side: three.DoubleSide, uniforms });
      const mesh = new three.Mesh(geometry, material);
      this.add("surface", mesh, geometry);
      // Every pixel of the ground is darkened once, however many triangles are above it.
      this.shadow = new three.Mesh(geometry, this.shader(shaders.shadow, {
        side: three.DoubleSide, transparent: true, depthWrite: false,
        stencilWrite: true, stencilFunc: three.EqualStencilFunc, stencilRef: 0, stencilZPass: three.IncrementStencilOp,
      }));
      this.shadow.frustumCulled = false;
      mesh.add(this.shadow);
    }
    let pairs = topology.springs.length ? topology.springs : topology.edges;
    if (this.curve) pairs = chain(this.particles);
    if (pairs.length) this.addLines(pairs, numbers);
    if (topology.strands.length) this.addBands("fibres", topology.strands, this.fibrePieces, shaders.fibres);
    const points = new three.BufferGeometry();
    points.setAttribute("number", numbers);
    points.setIndex(new three.BufferAttribute(Uint32Array.from({ length: this.particles }, (_, i) => i), 1));
    this.add("particles", new three.Points(points, this.shader(shaders.dots)), points);
    if (this.obstacles.count) this.add("obstacles", this.obstacles.group);
  }

  private addLines(pairs: Int32Array, numbers: three.BufferAttribute): void {
    const count = pairs.length / 2;
    if (count > most_rods) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("number", numbers);
      geometry.setIndex(new three.BufferAttribute(new Uint32Array(pairs), 1));
      this.add("springs", new three.LineSegments(geometry, this.shader(shaders.threads)), geometry);
      return;
    }
    this.addBands("springs", pairs, 1, shaders.rods);
  }

  /** One bundle of bands for all, drawn again and again with the numbers of others: the ends of a rod; a fibre's first point and how many it has. */
  private addBands(part: "springs" | "fibres", numbers: Int32Array, pieces: number, kind: { vertex: string; fragment: string }): void {
    const count = numbers.length / 2;
    const table = texture(count);
    const texels = table.image.data as unknown as Float32Array;
    for (let k = 0; k < count; k++) [texels[4 * k], texels[4 * k + 1]] = [numbers[2 * k], numbers[2 * k + 1]];
    table.needsUpdate = true;
    const geometry = new three.InstancedBufferGeometry();
    const corners: number[] = [];
    const index: number[] = [];
    for (let band = 0; band < bundle_size; band++)
      for (let k = 0; k <= pieces; k++) {
        const at = corners.length / 3;
        corners.push(k / pieces, -1, band, k / pieces, 1, band);
        if (k < pieces) index.push(at, at + 1, at + 3, at, at + 3, at + 2);
      }
    geometry.setAttribute("corner", new three.BufferAttribute(new Float32Array(corners), 3));
    geometry.setIndex(index);
    const bundles = Float32Array.from({ length: Math.ceil(count / bundle_size) }, (_, k) => k * bundle_size);
    geometry.setAttribute("bundle", new three.InstancedBufferAttribute(bundles, 1));
    const bandCount = { value: count };
    const uniforms = { ...this.uniforms, bands: { value: table }, bandCount };
    this.add(part, new three.Mesh(geometry, this.shader(kind, { side: three.DoubleSide, uniforms })), geometry, bandCount);
  }

  /** What is shown without being asked for: obstacles, and surface and fibres, else springs, else particles. */
  byDefault(part: Part): boolean {
    const filled = this.drawn.has("surface") || this.drawn.has("fibres");
    if (part === "springs") return !this.drawn.has("surface");
    if (part === "particles") return !filled && (!this.drawn.has("springs") || this.particles <= 400);
    return true;
  }

  show(part: Part, visible: boolean): void {
    const drawn = this.drawn.get(part);
    if (drawn) drawn.object.visible = visible;
  }
  shows(part: Part): boolean {
    return this.drawn.get(part)?.object.visible ?? false;
  }
  /** How many of the first points a picture with a share of everything takes. */
  pointsFor(share: number): number {
    return this.curve ? this.particles : this.amounts.points(share, this.parts.filter((part) => this.shows(part)));
  }

  /** Takes a frame in: values for colours, places for the picture. `other`: that of the other run. */
  set(raw: Frame, quantity: Quantity, other?: Counterpart): void {
    const frame = this.curve ? this.asCurve(raw) : raw;
    if (this.have !== frame.points) this.hold(frame.points);
    evaluate(quantity.name, this.material, frame, this.values, other);
    fill(this.now, frame);
    const data = this.now.image.data as unknown as Float32Array;
    for (let i = 0, to = 3; i < frame.points; i++, to += 4) data[to] = this.values[i];
    this.now.needsUpdate = true;
    this.computeNormals();
    this.obstacles.place(frame.poses);
    this.obstacles.touch(frame.contactTime);
  }

  /** Textures for so many points, so that no more of them is brought to where it is drawn. */
  private hold(points: number): void {
    this.have = points;
    for (const old of [this.now, this.normals]) old.dispose();
    this.uniforms.now.value = this.now = texture(points);
    this.uniforms.normals.value = this.normals = texture(this.shadow ? points : 1);
    this.detail(this.share);
  }

  /** Sums of the normals of the triangles at each particle, weighted by area. */
  private computeNormals(): void {
    if (!this.shows("surface") || !this.smooth) return;
    const x = this.now.image.data as unknown as Float32Array;
    const data = this.normals.image.data as unknown as Float32Array;
    const { first, triangles } = this.surface;
    const t = this.amounts.corners;
    data.fill(0);
    for (let k = 3 * first; k < 3 * (first + triangles); k += 3) {
      const a = 4 * t[k], b = 4 * t[k + 1], c = 4 * t[k + 2];
      const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
      const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      data[a] += nx, data[a + 1] += ny, data[a + 2] += nz;
      data[b] += nx, data[b + 1] += ny, data[b + 2] += nz;
      data[c] += nx, data[c + 1] += ny, data[c + 2] += nz;
    }
    // Sums of tiny triangles would be lost in the shader's arithmetic.
    for (let to = 0; to < 4 * this.surface.points; to += 4) {
      const size = Math.sqrt(data[to] ** 2 + data[to + 1] ** 2 + data[to + 2] ** 2) || 1;
      data[to] /= size;
      data[to + 1] /= size;
      data[to + 2] /= size;
    }
    this.normals.needsUpdate = true;
  }

  colourBy(quantity: Quantity, most: number): void {
    this.uniforms.plain.value = quantity.name === "plain" || quantity.name === "touched" ? 1 : 0;
    this.obstacles.colourBy(quantity.name === "touched" ? most : 0);
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
  /** Particles that are in the frame that is shown. */
  get present(): number {
    return this.have;
  }

  /** A share of all is drawn, where all would be too slow. */
  detail(share: number): void {
    this.share = share;
    const before = this.surface;
    this.surface = this.amounts.surface(share, this.have);
    for (const [part, drawn] of this.drawn) {
      if (!drawn.geometry || part === "obstacles") continue;
      if (part === "surface") {
        drawn.count = this.surface.triangles;
        drawn.geometry.setDrawRange(3 * this.surface.first, 3 * drawn.count);
        continue;
      }
      drawn.count = this.curve ? this.particles : this.amounts.count(part, share, this.have);
      if (drawn.geometry instanceof three.InstancedBufferGeometry) drawn.geometry.instanceCount = Math.ceil(drawn.count / bundle_size);
      else drawn.geometry.setDrawRange(0, drawn.count * (part === "springs" ? 2 : 1));
      if (drawn.bandCount) drawn.bandCount.value = drawn.count;
      if (part === "fibres") this.uniforms.thicker.value = Math.min(most_thicker, Math.sqrt(this.amounts.all.fibres / Math.max(1, drawn.count)));
    }
    this.uniforms.smoothed.value = this.smooth ? 1 : 0;
    this.shade(this.shaded);
    if (this.surface !== before) this.computeNormals();
  }

  /** That surface and fibres are drawn of now. */
  get triangles(): number {
    return (this.drawn.get("surface")?.count ?? 0) + 2 * this.fibrePieces * (this.drawn.get("fibres")?.count ?? 0);
  }

  /** Of what is shown: what is drawn of how many, the part that lacks most. */
  get leftOut(): { part: string; drawn: number; of: number } | undefined {
    let worst: { part: string; drawn: number; of: number } | undefined;
    for (const [part, { object, count }] of this.drawn) {
      if (!object.visible || part === "obstacles" || this.curve) continue;
      const of = this.amounts.all[part];
      if (count < of && (!worst || count / of < worst.drawn / worst.of)) worst = { part: part === "surface" ? "triangles" : part, drawn: count, of };
    }
    return worst;
  }

  beforeDrawing(camera: three.PerspectiveCamera, height: number): void {
    const perPixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
    (this.uniforms.pixel.value as three.Vector2).set(perPixel, perPixel);
    const up = (this.uniforms.up.value as three.Vector3).set(0, 0, 1).transformDirection(camera.matrixWorldInverse);
    this.obstacles.beforeDrawing(up);
  }

  darken(dark: boolean): void {
    (this.uniforms.plainColour.value as three.Color).set(dark ? 0x7f8d9a : 0x7d91a5);
    this.uniforms.strength.value = dark ? 1 : 0.85;
    this.uniforms.shade.value = dark ? 0.35 : 0.1;
    this.uniforms.lift.value = dark ? 1.4 : 0.2; // the darkest colours must be told from a dark ground
    this.obstacles.darken(dark);
  }
}

/** One texel a point. */
function texture(points: number): three.DataTexture {
  const height = Math.max(1, Math.ceil(points / shaders.textureWidth));
  const out = new three.DataTexture(
    new Float32Array(4 * shaders.textureWidth * height), shaders.textureWidth, height, three.RGBAFormat, three.FloatType);
  out.minFilter = out.magFilter = three.NearestFilter;
  return out;
}

function fill(texture: three.DataTexture, { points, positions }: Frame): void {
  const data = texture.image.data as unknown as Float32Array;
  for (let i = 0, from = 0, to = 0; i < points; i++, from += 3, to += 4) {
    data[to] = positions[from];
    data[to + 1] = positions[from + 1];
    data[to + 2] = positions[from + 2];
  }
}

function chain(n: number): Int32Array {
  const out = new Int32Array(2 * (n - 1));
  for (let i = 0; i + 1 < n; i++) [out[2 * i], out[2 * i + 1]] = [i, i + 1];
  return out;
}
