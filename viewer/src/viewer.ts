// The runs, the time that is shown, and the picture of it. Knows nothing of buttons.
import * as three from "three";
import * as api from "./api";
import { Body, type Part } from "./body";
import { FrameStore, unpack, type Frame, type Layout } from "./frames";
import { evaluate, extent, quantitiesOf, roundUp, type Quantity, type QuantityName } from "./quantities";
import { levels, Quickness } from "./quickness";
import { Stage } from "./stage";
import * as text from "./text";

export interface Run {
  info: api.RunInfo;
  /** frames to be shown while it moves: of many fibres the first ones */
  store: FrameStore;
  /** and when it stands still, where those are not all */
  whole?: FrameStore;
  body: Body;
  /** number of the frame that is shown, -1 while none is, or where a live state is */
  frame: number;
  /** some frames over the whole run, by number */
  samples: Map<number, Frame>;
}

const sample_count = 5;
/** Sizes of the body that it may go from where it begins and still be in the picture. */
const most_travel = 20;
/** Where there are fibres, about so many points are asked for while it moves. */
const most_moving_points = 120_000;

/** Up to the end of a fibre. */
function movingPoints(strands: Int32Array, all: number): number {
  if (all <= most_moving_points) return all;
  let end = all;
  for (let s = 0; s < strands.length && end > most_moving_points; s += 2)
    if (strands[s] + strands[s + 1] >= most_moving_points) end = strands[s] + strands[s + 1];
  return end;
}

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
    const all: Layout = { points: info.rows ?? 0, contact: info.contact ?? false, obstacles: info.obstacles ?? 0 };
    const shape = api.topology(k);
    const points = all.points > most_moving_points ? movingPoints((await shape).strands, all.points) : all.points;
    const layout = { ...all, points };
    const store = new FrameStore(k, layout);
    const whole = points < all.points ? new FrameStore(k, all) : undefined;
    const numbers = new Set<number>();
    for (let i = 0; i < sample_count; i++) numbers.add(Math.round(((info.frames - 1) * i) / (sample_count - 1)));
    const [topology, first, , , ...frames] = await Promise.all([
      shape, api.frames(k, 0, 1, all.points), store.refresh(info.frames, info.epoch), whole?.refresh(info.frames, info.epoch),
      ...[...numbers].map((number) => api.frames(k, number, 1, points)),
    ]);
    const samples = new Map([...numbers].map((number, i) => [number, unpack(frames[i], layout)] as const));
    const body = new Body(topology, all.points, unpack(first, all), info.particles === 0);
    return { info, store, whole, body, frame: -1, samples };
  }

  private frameCamera(): void {
    const box = new three.Box3();
    const at = new three.Vector3();
    for (const run of this.runs) {
      box.union(run.body.box);
      if (run.info.particles === 0) continue;
      // What a run that blew up has thrown away does not count.
      const within = run.body.box.clone();
      within.expandByScalar(within.isEmpty() ? 0 : Math.max(1, most_travel * within.getSize(at).length()));
      for (const frame of run.samples.values()) {
        const stride = Math.max(1, Math.floor(frame.points / 20000));
        for (let i = 0; i < frame.points; i += stride) {
          at.fromArray(frame.positions, 3 * i);
          if (within.containsPoint(at)) box.expandByPoint(at);
        }
      }
    }
    if (box.isEmpty()) box.expandByPoint(new three.Vector3());
    const furthest = Math.max(...box.min.toArray().map(Math.abs), ...box.max.toArray().map(Math.abs));
    if (box.getSize(at).length() <= 1e-6 * furthest || furthest === 0) box.expandByScalar(0.5); // a thing that does not move
    const size = box.getSize(at).length();
    for (const run of this.runs) {
      const around = run.body.obstacles.box;
      if (!around.isEmpty() && around.getSize(new three.Vector3()).length() < 4 * size) box.union(around);
    }
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
    const values = this.runs.map((run) => new Float32Array(run.store.layout.points));
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
  showLive(time: number, numbers: Float32Array): void {
    this.time = time;
    this.liveFrame = unpack(numbers, this.runs[0].store.layout);
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
      const frames = this.runs.map((run, k) => (this.wholeFrames && run.whole?.get(numbers[k])) || run.store.get(numbers[k]));
      if (frames.some((frame) => !frame)) {
        this.waiting = true;
        return;
      }
      this.runs.forEach((run, k) => {
        const compared = this.quantity.name === "difference";
        if (run.frame === numbers[k] && run.body.present === frames[k]!.points && !compared) return;
        run.frame = numbers[k];
        run.body.set(frames[k]!, this.quantity, compared ? frames[1 - k] : undefined);
        if (!this.complete) run.store.prefetch(numbers[k]);
      });
    }
    this.redraw();
    this.onMoved();
  }

  /** Whether the picture is the one it will stay at unless something is done. */
  get settled(): boolean {
    const whole = this.runs.every((run) => run.body.present === run.body.particles);
    return this.runs.length > 0 && !this.dirty && !this.waiting && !this.playing && (this.complete || this.detail !== "auto") && (whole || !this.wholeFrames);
  }

  private get wholeFrames(): boolean {
    return this.complete || this.detail === 1;
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
    const level = this.detail === "auto" ? levels[complete ? 0 : this.quickness.level] : { share: this.detail, scale: 1, shadows: true };
    for (const run of this.runs) {
      run.body.detail(level.share);
      run.body.shade(level.shadows);
    }
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
    for (const { body } of this.runs.slice(0, 1)) {
      const least = body.leftOut;
      if (least) parts.push(`${text.count(least.drawn)} of ${text.count(least.of)} ${least.part}`);
    }
    if (level.scale < 1) parts.push("coarse pixels");
    return parts.length ? `drawn: ${parts.join(", ")}${this.detail === "auto" ? "; all when still" : ""}` : "";
  }

  /** Once per picture of the screen. */
  tick(now: number): void {
    const elapsed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (!this.runs.length) return;
    const moving = this.playing || this.followsLive || now - this.cameraMoved < 250;
    if (this.waiting || (this.wholeFrames && !this.playing && this.runs.some((run) => run.whole && run.body.present < run.body.particles))) {
      this.update(); // its frames may have come; time waits for them
    } else if (this.playing) {
      this.time += elapsed * this.speed;
      if (this.time > this.end) this.time = this.time - this.end < elapsed * this.speed + 1e-9 ? this.start : this.end;
      this.update();
    }
    if (!moving) this.quickness.still();
    if (moving && this.complete) this.applyDetail(false);
    if (!moving && !this.complete && this.affordable()) {
      this.applyDetail(true);
      this.update();
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
