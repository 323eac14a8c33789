// Obstacles of a scene: rigid surfaces that lie where each frame says.
import * as three from "three";
import * as colours from "./colours";
import * as shaders from "./shaders";
import type { Topology } from "./api";

export class Obstacles {
  readonly group = new three.Group();
  /** around those that end, before anything moves */
  readonly box = new three.Box3();
  private readonly meshes: three.Mesh[] = [];
  private readonly colour = { value: new three.Color() };
  private readonly up = { value: new three.Vector3(0, 1, 0) };
  private readonly spacing = { value: 0 };
  private readonly contactTime: three.BufferAttribute;
  /** time at the end of the scale, s; 0: no times are shown */
  private readonly longest = { value: 0 };
  private readonly scales = { light: colours.scaleOf(colours.touchedTables.light), dark: colours.scaleOf(colours.touchedTables.dark) };
  private readonly scale = { value: this.scales.light };
  /** whether there is a plane to stand on, or to hit */
  readonly endless: boolean;

  constructor({ obstacle_points: points, obstacle_of_point: owner, obstacle_triangles: triangles, obstacle_endless: endless }: Topology) {
    const position = new three.BufferAttribute(points, 3);
    this.contactTime = new three.BufferAttribute(new Float32Array(points.length / 3), 1);
    this.endless = endless.some((plane) => plane > 0);
    endless.forEach((plane, k) => {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("position", position);
      geometry.setAttribute("contactTime", this.contactTime);
      const corners: number[] = [];
      for (let t = 0; t < triangles.length; t += 3)
        if (owner[triangles[t]] === k) corners.push(triangles[t], triangles[t + 1], triangles[t + 2]);
      geometry.setIndex(corners);
      geometry.computeVertexNormals();
      const material = new three.ShaderMaterial({
        vertexShader: shaders.solid.vertex, fragmentShader: shaders.solid.fragment, glslVersion: three.GLSL3,
        uniforms: {
          plainColour: this.colour, up: this.up, lift: { value: 0 }, scale: this.scale, longest: plane ? { value: 0 } : this.longest,
          opacity: { value: plane ? 0.6 : 1 }, spacing: plane ? this.spacing : { value: 0 },
        },
        // Of closed surfaces the front alone: of hollow ones that is the far wall, behind what is in them.
        side: plane ? three.DoubleSide : three.FrontSide, transparent: plane > 0, depthWrite: !plane,
      });
      const mesh = new three.Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      this.meshes.push(mesh);
      this.group.add(mesh);
      if (!plane) for (const corner of corners) this.box.expandByPoint(new three.Vector3().fromBufferAttribute(position, corner));
    });
  }

  get count(): number {
    return this.meshes.length;
  }

  /** Twelve numbers each: where the origin and the ends of the unit vectors have come to. */
  place(poses: Float32Array): void {
    this.meshes.forEach((mesh, k) => {
      const [o, ...units] = [0, 3, 6, 9].map((at) => poses.subarray(12 * k + at, 12 * k + at + 3));
      const [a, b, c] = units.map((unit) => [unit[0] - o[0], unit[1] - o[1], unit[2] - o[2]]);
      mesh.matrix.set(
        a[0], b[0], c[0], o[0],
        a[1], b[1], c[1], o[1],
        a[2], b[2], c[2], o[2],
        0, 0, 0, 1);
      mesh.matrixWorldNeedsUpdate = true;
    });
  }

  /** For how long each point was touched. */
  touch(times: Float32Array): void {
    if (this.longest.value === 0 || times.length !== this.contactTime.count) return;
    (this.contactTime.array as Float32Array).set(times);
    this.contactTime.needsUpdate = true;
  }
  /** By times up to the longest; 0: plain. */
  colourBy(longest: number): void {
    this.longest.value = longest;
  }

  /** Between the lines on planes, m. */
  line(spacing: number): void {
    this.spacing.value = spacing;
  }
  beforeDrawing(up: three.Vector3): void {
    this.up.value.copy(up);
  }
  darken(dark: boolean): void {
    this.colour.value.set(dark ? 0x59636e : 0xb9c1c9);
    this.scale.value = dark ? this.scales.dark : this.scales.light;
  }
}
