// The runs, the time that is shown, and the picture of it. Knows nothing of buttons.
import * as three from "three";
import * as api from "./api";
import { Amounts, type Part } from "./amounts";
import { Body } from "./body";
import { FrameStore, unpack, type Frame, type Layout } from "./frames";
import { evaluate, extent, needsNeighbours, quantitiesOf, roundUp, touchedExtent, type Counterpart, type Quantity, type QuantityName } from "./quantities";
import { levels, Quickness, type Level } from "./quickness";
import { Stage } from "./stage";
import * as text from "./text";

export interface Run {
  info: api.RunInfo;
  store: FrameStore;
  body: Body;
  /** number of the frame that is shown, -1 while none is, or where a live state is */
  frame: number;
  /** where the other run has each point, if elsewhere */
  places?: Int32Array;
  /** frames spread over the whole run, of the points that the first picture took */
  samples: Map<number, Frame>;
}

/** Sizes of the body that it may go from where it begins and still be in the picture. */
const most_travel = 20;
/** A body of more points begins with a level of detail that takes fewer. */
const most_points_at_first = 60_000;
/** ms without motion after which all is drawn: where that is quick, and where it is not. */
const soon = 250, later = 1000;
/** Of more triangles edges are as they are: several samples a pixel would take seconds without a graphics card. */
const most_smoothed = 300_000;
/** And turns: where pictures take longer than that, one after the other may still be one motion. */
const least_quiet_turns = 3;

export class Viewer {
  readonly stage: Stage;
  readonly runs: Run[] = [];
  readonly quickness = new Quickness();
  quantities: Quantity[] = [];
  quantity: Quantity = { name: "plain", label: "", unit: "", signed: false };
  /** of which the scale may still be looked for */
  private chosen = this.quantity;
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
  private moved = 0;
  private movedBefore = 0;
  private quietTurns = 0;
  private pictures = 0;
  /** whether all is drawn, as nothing moves */
  private complete = false;
  private last = 0;
  private size = { width: 1, height: 1, ratio: 1 };
  private ranges = new Map<QuantityName, number>();
  private liveFrame?: Frame;
  private pointsAsked = 0;
  /** a live state with more or fewer points is wanted */
  onPoints: () => void = () => undefined;

  constructor(canvas: HTMLCanvasElement) {
    this.stage = new Stage(canvas);
    this.stage.controls.addEventListener("change", () => {
      this.moved = performance.now();
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
    }
    if (this.compared) this.pair();
    this.quantities = this.runs.map((run) => quantitiesOf(run.body.material, this.compared))
      .reduce((all, others) => all.filter(({ name }) => others.some((other) => other.name === name)));
    this.frameCamera();
    this.applyDetail(false);
    this.time = this.start;
    this.moved = performance.now(); // what is quick to draw comes first
    await this.colourBy(this.quantities[0].name);
  }

  private async loadRun(info: api.RunInfo, k: number): Promise<Run> {
    const rows = info.rows ?? 0;
    const layout: Layout = { points: rows, contact: info.contact ?? false, obstacles: info.obstacles ?? 0, timedPoints: info.contact_time_points ?? 0 };
    const store = new FrameStore(k, layout);
    const shape = api.topology(k), times = store.refresh(info.frames, info.epoch);
    const first = store.samples(rows > most_points_at_first ? 1 : info.frames, rows);
    const topology = await shape;
    const body = new Body(topology, new Amounts(topology, rows), rows, (await first).get(0)!, info.particles === 0);
    for (const part of body.parts) body.show(part, body.byDefault(part));
    while (this.quickness.level + 1 < levels.length && body.pointsFor(levels[this.quickness.level].share) > most_points_at_first) this.quickness.level++;
    const { share } = levels[this.quickness.level];
    const samples = await store.samples(info.frames, share === 1 ? rows : body.pointsFor(share));
    await times;
    return { info, store, body, frame: -1, samples };
  }

  /** Points of the two runs that are the same may come in different orders. */
  private pair(): void {
    const [one, other] = this.runs.map((run) => run.body.material.topology.numbers);
    if (one.every((number, place) => number === other[place])) return;
    for (const [k, [from, to]] of [[one, other], [other, one]].entries()) {
      const placeOf = new Int32Array(to.length);
      to.forEach((number, place) => (placeOf[number] = place));
      this.runs[k].places = from.map((number) => placeOf[number]);
    }
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

  /** As soon as the scale of its colours is known. */
  async colourBy(name: QuantityName): Promise<void> {
    const chosen = this.quantities.find((q) => q.name === name) ?? this.quantities[0];
    this.chosen = chosen;
    if (!this.ranges.has(chosen.name)) this.ranges.set(chosen.name, await this.rangeOf(chosen));
    if (this.chosen !== chosen) return; // another one was, in the meantime
    this.quantity = chosen;
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
  private async rangeOf(quantity: Quantity): Promise<number> {
    const samples = await Promise.all(this.runs.map((run) =>
      this.needsAll(run, quantity) ? run.store.samples(run.info.frames, run.body.particles) : run.samples));
    let most = 0;
    this.runs.forEach((run, k) => {
      for (const [number, frame] of samples[k]) {
        const other = samples[1 - k]?.get(number);
        if (quantity.name === "difference" && other?.points !== frame.points) continue;
        if (quantity.name === "touched") {
          most = Math.max(most, touchedExtent(frame));
          continue;
        }
        const values = new Float32Array(frame.points);
        evaluate(quantity.name, run.body.material, frame, values, other && { frame: other, places: run.places });
        most = Math.max(most, extent(values));
      }
    });
    return roundUp(most);
  }

  /** Whether its colours take points that may not be drawn. */
  private needsAll(run: Run, quantity: Quantity): boolean {
    return needsNeighbours(quantity.name, run.body.material.topology) || (quantity.name === "difference" && run.places !== undefined);
  }

  /** Values that a live run reaches widen the scale. */
  private widen(now: number): void {
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
      run.frame = -1; // normals may be due, or more points
    }
    this.quickness.reset();
    this.update();
  }

  seek(time: number): void {
    this.liveFrame = undefined;
    this.moved = performance.now();
    this.time = Math.max(this.start, Math.min(this.end, time));
    this.update();
  }
  /** By so many frames of the first run. */
  stepBy(frames: number): void {
    const store = this.runs[0].store;
    const number = Math.max(0, Math.min(store.count - 1, store.at(this.time) + frames));
    this.seek(store.times[number]);
  }

  /** A state that is newer than any frame, of so many points. */
  showLive(time: number, numbers: Float32Array, points: number): void {
    if (time !== this.time) this.moved = performance.now();
    this.time = time;
    this.liveFrame = unpack(numbers, { ...this.runs[0].store.layout, points });
    this.runs[0].frame = -1;
    this.update();
    this.widen(this.quantity.name === "touched" ? touchedExtent(this.liveFrame) : extent(this.runs[0].body.values));
  }
  get followsLive(): boolean {
    return this.liveFrame !== undefined;
  }

  /** How much is drawn at this moment. */
  private get level(): Level {
    return this.detail === "auto" ? levels[this.complete ? 0 : this.quickness.level] : { share: this.detail, scale: 1, fine: true };
  }
  /** How many of its first points a picture takes at this moment. */
  points(run: Run): number {
    return this.level.share === 1 || this.needsAll(run, this.quantity) ? run.body.particles : run.body.pointsFor(this.level.share);
  }

  /** Brings bodies to the present time where their frames are there. */
  update(): void {
    this.waiting = false;
    const points = Math.max(...this.runs.map((run) => this.points(run)));
    if (this.liveFrame) {
      this.runs[0].body.set(this.liveFrame, this.quantity);
      if (points !== this.pointsAsked) this.onPoints();
      this.pointsAsked = points;
    } else {
      const numbers = this.runs.map((run) => run.store.at(this.time));
      const frames = this.runs.map((run, k) => run.store.get(numbers[k], this.compared ? points : this.points(run)));
      if (!frames.every((frame) => frame !== undefined)) {
        this.waiting = true;
        return;
      }
      const compared = this.quantity.name === "difference";
      this.runs.forEach((run, k) => {
        if (run.frame === numbers[k] && run.body.present === frames[k].points && !compared) return;
        run.frame = numbers[k];
        const other: Counterpart | undefined = compared ? { frame: frames[1 - k], places: run.places } : undefined;
        run.body.set(frames[k], this.quantity, other);
        if (!this.complete) run.store.prefetch(numbers[k], frames[k].points);
      });
    }
    this.redraw();
    this.onMoved();
  }

  /** Whether the picture is the one it will stay at unless something is done. */
  get settled(): boolean {
    return this.runs.length > 0 && !this.dirty && !this.waiting && !this.playing && (this.complete || this.detail !== "auto") && this.chosen === this.quantity;
  }

  redraw(): void {
    this.dirty = true;
  }

  resize(width: number, height: number, ratio: number): void {
    this.size = { width, height, ratio };
    this.stage.stacked = width < 1.1 * height;
    this.applyDetail(this.complete);
  }

  private applyDetail(complete: boolean): void {
    this.complete = complete;
    for (const run of this.runs) {
      run.body.detail(this.level.share);
      run.body.shade(this.level.fine);
    }
    this.stage.smooth = this.level.fine && this.runs.every((run) => run.body.triangles <= most_smoothed);
    this.stage.resize(this.size.width, this.size.height, this.size.ratio * this.level.scale);
    this.redraw();
  }

  setDetail(detail: "auto" | number): void {
    this.detail = detail;
    this.quickness.reset();
    this.applyDetail(false);
    this.update();
  }

  /** What is left out of the picture at this moment; empty: nothing. */
  get leftOut(): string {
    const parts: string[] = [];
    const least = this.runs[0]?.body.leftOut;
    if (least) parts.push(`${text.count(least.drawn)} of ${text.count(least.of)} ${least.part}`);
    if (this.level.scale < 1) parts.push("coarse pixels");
    return parts.length ? `drawn: ${parts.join(", ")}${this.detail === "auto" ? "; all when still" : ""}` : "";
  }

  /** Once per picture of the screen. */
  tick(now: number): void {
    const elapsed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (!this.runs.length) return;
    if (this.pictures === 1) performance.mark("first picture"); // its turn is over
    if (this.moved !== this.movedBefore) this.quietTurns = 0;
    else this.quietTurns++;
    this.movedBefore = this.moved;
    const moving = this.playing || this.quietTurns < least_quiet_turns || now - this.moved < (this.quickness.level < 3 ? soon : later);
    if (moving === this.complete && this.detail === "auto") {
      this.applyDetail(!moving);
      if (!moving) this.update();
    }
    if (this.waiting) {
      this.update(); // its frames may have come; time waits for them
    } else if (this.playing) {
      this.time += elapsed * this.speed;
      if (this.time > this.end) this.time = this.time - this.end < elapsed * this.speed + 1e-9 ? this.start : this.end;
      this.update();
    }
    if (!moving) this.quickness.still();
    if (!this.dirty) return;
    this.dirty = false;
    this.stage.draw();
    this.pictures++;
    if (moving && this.detail === "auto" && this.quickness.picture(now)) this.applyDetail(false);
  }

  get bytes(): number {
    return this.runs.reduce((sum, run) => sum + run.store.bytes, 0);
  }
}
