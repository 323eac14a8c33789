// The canvas: camera, ground, one or two bodies side by side.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import * as shaders from "./shaders";
import type { Body } from "./body";

three.ColorManagement.enabled = false; // colours are those of the screen throughout

interface View {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Stage {
  readonly renderer: three.WebGLRenderer;
  readonly camera = new three.PerspectiveCamera(38, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly scenes: three.Scene[] = [];
  readonly bodies: Body[] = [];
  private grids: three.Object3D[] = [];
  /** of the ground's lines, m */
  gridSpacing = 0;
  private groundLevel = 0;
  /** what is to be in the picture, and from where it is looked at */
  private readonly home = { box: new three.Box3(), direction: new three.Vector3(0, -1, 0) };
  private pull?: three.Line;
  private dark = false;
  private gridShown = true;
  stacked = false;
  /** whether edges are drawn without steps, which takes several samples a pixel */
  smooth = true;
  private readonly samples = new three.WebGLRenderTarget(1, 1, { samples: 4, stencilBuffer: true });
  private readonly copy = new three.Mesh(new three.PlaneGeometry(2, 2), new three.ShaderMaterial({
    vertexShader: shaders.copy.vertex, fragmentShader: shaders.copy.fragment, glslVersion: three.GLSL3,
    uniforms: { picture: { value: this.samples.texture } }, depthTest: false, depthWrite: false,
  }));

  constructor(readonly canvas: HTMLCanvasElement) {
    this.copy.frustumCulled = false;
    this.renderer = new three.WebGLRenderer({ canvas, antialias: false, stencil: true, preserveDrawingBuffer: true, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = three.LinearSRGBColorSpace; // shaders give what the screen takes
    this.renderer.autoClear = false;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
  }

  add(body: Body): void {
    const scene = new three.Scene();
    scene.add(body.group);
    this.scenes.push(scene);
    this.bodies.push(body);
  }

  /** The camera and the ground for what moves within `box`. */
  frame(box: three.Box3, flat: boolean): void {
    const radius = Math.max(1e-9, 0.5 * box.getSize(new three.Vector3()).length());
    this.home.box.copy(box).expandByScalar(0.02 * radius);
    this.home.direction.set(...((flat ? [0, -1, 0.02] : [0.55, -1, 0.42]) as [number, number, number])).normalize();
    this.resetCamera();
    for (const grid of this.grids) grid.removeFromParent();
    this.grids = this.scenes.map((scene) => {
      const grid = this.ground(box, radius);
      scene.add(grid);
      return grid;
    });
    for (const body of this.bodies) {
      body.fit(2 * radius);
      body.obstacles.line(this.gridSpacing);
    }
    this.showGrid(this.gridShown);
    this.theme(this.dark);
  }

  /** So near that all corners are just within the picture. */
  resetCamera(): void {
    const { box, direction } = this.home;
    const centre = box.getCenter(new three.Vector3());
    const right = new three.Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new three.Vector3().crossVectors(direction, right);
    const view = this.views()[0];
    const high = Math.tan((this.camera.fov * Math.PI) / 360) * 0.84; // room for what is written at the edges
    const wide = high * (view ? view.width / view.height : 1);
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new three.Vector3(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y, corner & 4 ? box.max.z : box.min.z).sub(centre);
      distance = Math.max(distance, at.dot(direction) + Math.max(Math.abs(at.dot(up)) / high, Math.abs(at.dot(right)) / wide));
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  private ground(box: three.Box3, radius: number): three.Object3D {
    const raw = (2 * radius) / 12;
    const decade = 10 ** Math.floor(Math.log10(raw));
    const spacing = [1, 2, 5, 10].map((k) => k * decade).find((s) => s >= raw) ?? 10 * decade;
    this.gridSpacing = spacing;
    const centre = box.getCenter(new three.Vector3());
    const half = 14;
    const [cx, cy] = [Math.round(centre.x / spacing), Math.round(centre.y / spacing)];
    const z = box.min.z - 1e-3 * radius;
    this.groundLevel = z;
    const points: number[] = [];
    const alphas: number[] = [];
    const fade = (i: number, j: number) => Math.max(0, 1 - Math.hypot(i, j) / half);
    for (let i = -half; i <= half; i++)
      for (let j = -half; j < half; j++) {
        const strong = (k: number) => (k % 5 === 0 ? 1 : 0.45);
        points.push((cx + i) * spacing, (cy + j) * spacing, z, (cx + i) * spacing, (cy + j + 1) * spacing, z);
        alphas.push(strong(cx + i) * fade(i, j), strong(cx + i) * fade(i, j + 1));
        points.push((cx + j) * spacing, (cy + i) * spacing, z, (cx + j + 1) * spacing, (cy + i) * spacing, z);
        alphas.push(strong(cy + i) * fade(j, i), strong(cy + i) * fade(j + 1, i));
      }
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.Float32BufferAttribute(points, 3));
    geometry.setAttribute("alpha", new three.Float32BufferAttribute(alphas, 1));
    const material = new three.ShaderMaterial({
      transparent: true, depthWrite: false, uniforms: { colour: { value: new three.Color() } },
      vertexShader: "attribute float alpha; varying float a; void main() { a = alpha; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
      fragmentShader: "uniform vec3 colour; varying float a; void main() { gl_FragColor = vec4(colour, 0.55 * a); }",
    });
    const lines = new three.LineSegments(geometry, material);
    lines.visible = this.gridShown;
    return lines;
  }

  showGrid(visible: boolean): void {
    this.gridShown = visible;
    // A plane of the scene has lines of its own.
    this.grids.forEach((grid, k) => {
      grid.visible = visible && !this.bodies[k].obstacles.endless;
      this.bodies[k].stand(this.groundLevel, grid.visible);
    });
  }

  theme(dark: boolean): void {
    this.dark = dark;
    this.renderer.setClearColor(dark ? 0x14181d : 0xf4f6f8, 1);
    for (const grid of this.grids)
      ((grid as three.LineSegments).material as three.ShaderMaterial).uniforms.colour.value.set(dark ? 0x5b6875 : 0x9aa7b4);
    for (const body of this.bodies) body.darken(dark);
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  /** Parts of the canvas, in its own pixels from the lower left. */
  views(): View[] {
    const size = this.renderer.getSize(new three.Vector2());
    const n = this.bodies.length;
    return this.bodies.map((_, k) =>
      this.stacked
        ? { x: 0, y: ((n - 1 - k) * size.y) / n, width: size.x, height: size.y / n }
        : { x: (k * size.x) / n, y: 0, width: size.x / n, height: size.y });
  }

  draw(): void {
    const { renderer, samples } = this;
    const size = renderer.getDrawingBufferSize(new three.Vector2());
    if (this.smooth) samples.setSize(size.x, size.y);
    renderer.setRenderTarget(this.smooth ? samples : null);
    renderer.setScissorTest(true);
    this.views().forEach((view, k) => {
      this.camera.aspect = view.width / view.height;
      this.camera.updateProjectionMatrix();
      this.camera.updateMatrixWorld();
      this.into(view);
      renderer.clear();
      this.bodies[k].beforeDrawing(this.camera, view.height * renderer.getPixelRatio());
      renderer.render(this.scenes[k], this.camera);
    });
    if (!this.smooth) return;
    renderer.setRenderTarget(null);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, ...renderer.getSize(size).toArray());
    renderer.render(this.copy, this.camera);
  }

  /** What comes is drawn into this part only. */
  private into({ x, y, width, height }: View): void {
    this.renderer.setViewport(x, y, width, height);
    this.renderer.setScissor(x, y, width, height);
    const ratio = this.renderer.getPixelRatio();
    this.samples.viewport.set(x, y, width, height).multiplyScalar(ratio).floor();
    this.samples.scissor.copy(this.samples.viewport);
    this.samples.scissorTest = true;
    if (this.smooth) this.renderer.setRenderTarget(this.samples); // takes them over
  }

  /** The particle drawn nearest to a place on the canvas, within so many pixels. */
  pick(body: number, x: number, y: number, within: number): number {
    const view = this.views()[body];
    const size = this.renderer.getSize(new three.Vector2());
    const at = new three.Vector3();
    let best = -1;
    let nearest = within * within;
    let depth = Infinity;
    for (let i = 0; i < this.bodies[body].present; i++) {
      this.bodies[body].shown(i, at).project(this.camera);
      if (at.z < -1 || at.z > 1) continue;
      const px = view.x + (0.5 + 0.5 * at.x) * view.width;
      const py = size.y - view.y - (0.5 + 0.5 * at.y) * view.height;
      const distance = (px - x) ** 2 + (py - y) ** 2;
      // Of two that are about as near, the one in front.
      if (distance < nearest - 9 || (distance < nearest + 9 && at.z < depth && distance < within * within)) {
        nearest = Math.min(nearest, distance);
        depth = at.z;
        best = i;
      }
    }
    return best;
  }

  /** The point under a place on the canvas, as far away as `like` is. */
  under(body: number, x: number, y: number, like: three.Vector3): three.Vector3 {
    const view = this.views()[body];
    const size = this.renderer.getSize(new three.Vector2());
    const depth = like.clone().project(this.camera).z;
    return new three.Vector3(
      (2 * (x - view.x)) / view.width - 1, (2 * (size.y - view.y - y)) / view.height - 1, depth).unproject(this.camera);
  }

  showPull(body: number, from?: three.Vector3, to?: three.Vector3): void {
    this.pull?.removeFromParent();
    this.pull = undefined;
    if (!from || !to) return;
    this.pull = new three.Line(
      new three.BufferGeometry().setFromPoints([from, to]), new three.LineBasicMaterial({ color: 0xf2731a, depthTest: false }));
    this.pull.renderOrder = 10;
    this.scenes[body].add(this.pull);
  }

  /** As a share of the canvas's height, how long a metre at the centre of the picture is. */
  metre(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return 1 / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }
}
