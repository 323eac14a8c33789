// The runs, the time that is shown, and the picture of it. Knows nothing of buttons.
import * as three from "three";
import * as api from "./api";
import { Body, type Part } from "./body";
import { FrameStore, type Frame } from "./frames";
import { evaluate, extent, quantitiesOf, roundUp, type Quantity, type QuantityName } from "./quantities";
import { levels, Quickness } from "./quickness";
import { Stage } from "./stage";

export interface Run {
  info: api.RunInfo;
  store: FrameStore;
  body: Body;
  /** number of the frame that is shown, -1 while none is, or where a live state is */
  frame: number;
  /** some frames over the whole run, by number */
  samples: Map<number, Frame>;
}

const sample_count = 5;

export class Viewer {
  readonly stage: Stage;
  readonly runs: Run[] = [];
  readonly quickness = new Quickness();
  quantities: Quantity[] = [];
  quantity: Quantity = { name: "plain", label: "", unit: "", signed: false };
  most = 1;
  time = 0;
  playing = false;
  speed = 1;
  magnification = 1;
  detail: "auto" | number = "auto";
  /** frames that were due and not there yet */
  waiting = false;
  onChange: () => void = () => undefined;
  onMoved: () => void = () => undefined;
  private dirty = true;
  private cameraMoved = 0;
  private complete = false;
  private last = 0;
  private size = { width: 1, height: 1, ratio: 1 };
  private ranges = new Map<QuantityName, number>();
  private liveFrame?: Frame;

  constructor(canvas: HTMLCanvasElement, antialias = true) {
    this.stage = new Stage(canvas, antialias);
    this.stage.controls.addEventListener("change", () => {
      this.cameraMoved = performance.now();
      this.redraw();
    });
  }

  get start(): number {
    return Math.min(...this.runs.map((run) => run.store.times[0] ?? 0));
  }
  get end(): number {
    return Math.max(...this.runs.map((run) => run.store.times[run.store.count - 1] ?? 0));
  }
  get compared(): boolean {
    return this.runs.length === 2 && this.runs[0].body.particles === this.runs[1].body.particles;
  }

  /** Everything for the first picture. */
  async load(infos: api.RunInfo[]): Promise<void> {
    const loaded = await Promise.all(infos.map((info, k) => this.loadRun(info, k)));
    for (const run of loaded) {
      this.runs.push(run);
      this.stage.add(run.body);
      for (const part of run.body.parts) run.body.show(part, run.body.byDefault(part));
    }
    this.quantities = quantitiesOf(this.runs[0].body.material, this.compared);
    this.frameCamera();
    this.colourBy(this.quantities[0].name);
    this.time = this.start;
    for (const run of this.runs) await run.store.wait(0);
    this.update();
  }

  private async loadRun(info: api.RunInfo, k: number): Promise<Run> {
    const store = new FrameStore(k, info.rows ?? 0);
    const numbers = new Set<number>();
    for (let i = 0; i < sample_count; i++) numbers.add(Math.round(((info.frames - 1) * i) / (sample_count - 1)));
    const [topology, , ...frames] = await Promise.all([
      api.topology(k), store.refresh(info.frames, info.epoch),
      ...[...numbers].map((number) => api.frames(k, number, 1)),
    ]);
    const samples = new Map([...numbers].map((number, i) => [number, frames[i]] as const));
    const body = new Body(topology, store.particles, frames[0], info.particles === 0);
    return { info, store, body, frame: -1, samples };
  }

  private frameCamera(): void {
    const box = new three.Box3();
    for (const run of this.runs) {
      box.union(run.body.box);
      if (run.info.particles === 0) continue;
      for (const frame of run.samples.values()) {
        const at = new three.Vector3();
        const stride = Math.max(1, Math.floor(run.body.particles / 20000));
        for (let i = 0; i < run.body.particles; i += stride) {
          at.set(frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]);
          if (Number.isFinite(at.lengthSq())) box.expandByPoint(at);
        }
      }
    }
    if (box.isEmpty()) box.set(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1));
    this.stage.frame(box, this.runs[0].info.particles === 0);
  }

  colourBy(name: QuantityName): void {
    this.quantity = this.quantities.find((q) => q.name === name) ?? this.quantities[0];
    if (!this.ranges.has(this.quantity.name)) this.ranges.set(this.quantity.name, this.rangeOf(this.quantity));
    this.applyRange();
    for (const run of this.runs) run.frame = -1;
    this.update();
    this.onChange();
  }

  private applyRange(): void {
    this.most = this.ranges.get(this.quantity.name) || 1;
    for (const run of this.runs) run.body.colourBy(this.quantity, this.most);
  }

  /** Over frames of the whole run, so that colours mean the same at all times. */
  private rangeOf(quantity: Quantity): number {
    let most = 0;
    const values = this.runs.map((run) => new Float32Array(run.body.particles));
    this.runs.forEach((run, k) => {
      for (const [number, frame] of run.samples) {
        let other: Frame | undefined;
        if (quantity.name === "difference") {
          other = this.runs[1 - k].samples.get(number);
          if (!other) continue;
        }
        evaluate(quantity.name, run.body.material, frame, values[k], other);
        most = Math.max(most, extent(values[k]));
      }
    });
    return roundUp(most);
  }

  /** Values that a live run reaches widen the scale. */
  private widen(values: Float32Array): void {
    const now = extent(values);
    if (now <= 1.02 * (this.ranges.get(this.quantity.name) ?? 0)) return;
    this.ranges.set(this.quantity.name, roundUp(1.25 * now));
    this.applyRange();
    this.onChange();
  }

  magnify(factor: number): void {
    this.magnification = factor;
    for (const run of this.runs) run.body.magnify(factor);
    this.redraw();
  }

  show(part: Part, visible: boolean): void {
    for (const run of this.runs) {
      run.body.show(part, visible);
      run.frame = -1; // normals may be due
    }
    this.quickness.reset();
    this.update();
  }

  seek(time: number): void {
    this.liveFrame = undefined;
    this.time = Math.max(this.start, Math.min(this.end, time));
    this.update();
  }
  /** By so many frames of the first run. */
  stepBy(frames: number): void {
    const store = this.runs[0].store;
    const number = Math.max(0, Math.min(store.count - 1, store.at(this.time) + frames));
    this.seek(store.times[number]);
  }

  /** A state that is newer than any frame. */
  showLive(time: number, frame: Frame): void {
    this.time = time;
    this.liveFrame = frame;
    this.runs[0].frame = -1;
    this.update();
    this.widen(this.runs[0].body.values);
  }
  get followsLive(): boolean {
    return this.liveFrame !== undefined;
  }

  /** Brings bodies to the present time where their frames are there. */
  update(): void {
    this.waiting = false;
    if (this.liveFrame) {
      this.runs[0].body.set(this.liveFrame, this.quantity);
    } else {
      const numbers = this.runs.map((run) => run.store.at(this.time));
      const frames = this.runs.map((run, k) => run.store.get(numbers[k]));
      if (frames.some((frame) => !frame)) {
        this.waiting = true;
        return;
      }
      this.runs.forEach((run, k) => {
        const compared = this.quantity.name === "difference";
        if (run.frame === numbers[k] && !compared) return;
        run.frame = numbers[k];
        run.body.set(frames[k]!, this.quantity, compared ? frames[1 - k] : undefined);
        run.store.prefetch(numbers[k]);
      });
    }
    this.redraw();
    this.onMoved();
  }

  redraw(): void {
    this.dirty = true;
  }

  resize(width: number, height: number, ratio: number): void {
    this.size = { width, height, ratio };
    this.stage.stacked = width < 1.1 * height;
    this.applyDetail(this.complete);
    this.redraw();
  }

  private applyDetail(complete: boolean): void {
    const level = this.detail === "auto" ? levels[complete ? 0 : this.quickness.level] : { share: this.detail, scale: 1 };
    for (const run of this.runs) run.body.detail({ share: level.share });
    this.stage.resize(this.size.width, this.size.height, this.size.ratio * level.scale);
    this.complete = complete;
  }

  setDetail(detail: "auto" | number): void {
    this.detail = detail;
    this.quickness.reset();
    this.applyDetail(false);
    this.redraw();
  }

  /** What is left out of the picture at this moment; empty: nothing. */
  get leftOut(): string {
    const level = this.detail === "auto" ? levels[this.complete ? 0 : this.quickness.level] : { share: this.detail, scale: 1 };
    const parts: string[] = [];
    if (level.share < 1 && this.runs.some((run) => run.body.divisible)) parts.push(`1 of ${Math.round(1 / level.share)} springs and particles`);
    if (level.scale < 1) parts.push("coarse pixels");
    return parts.length ? `drawn: ${parts.join(", ")}${this.detail === "auto" ? "; all when still" : ""}` : "";
  }

  /** Once per picture of the screen. */
  tick(now: number): void {
    const elapsed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (!this.runs.length) return;
    const moving = this.playing || this.followsLive || now - this.cameraMoved < 250;
    if (this.waiting) {
      this.update(); // its frames may have come; time waits for them
    } else if (this.playing) {
      this.time += elapsed * this.speed;
      if (this.time > this.end) this.time = this.time - this.end < elapsed * this.speed + 1e-9 ? this.start : this.end;
      this.update();
    }
    if (moving && this.complete) this.applyDetail(false);
    if (!moving && !this.complete && this.affordable()) {
      this.applyDetail(true);
      this.dirty = true;
    }
    if (!this.dirty) return;
    this.dirty = false;
    this.stage.draw();
    if (moving && this.detail === "auto" && this.quickness.picture(now)) this.applyDetail(false);
  }

  /** Whether a complete picture would take less than about a second and a half. */
  private affordable(): boolean {
    const { share, scale } = levels[this.quickness.level];
    return 1000 / Math.max(1e-3, this.quickness.rate || 60) / (share * scale * scale) < 1500;
  }

  get bytes(): number {
    return this.runs.reduce((sum, run) => sum + run.store.bytes, 0);
  }
}
