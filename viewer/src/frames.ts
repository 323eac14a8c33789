// The frames of one run: some of them in memory, the others asked for when they are due.
import * as api from "./api";

/** Bytes of frames that are kept of a run, but for five spread over it. */
const most_bytes = 160 << 20;
const chunk_bytes = 3 << 20;
const sample_count = 5;

/** What a frame is made of. */
export interface Layout {
  points: number;
  contact: boolean;
  obstacles: number;
  /** of obstacles, where there are times of contact */
  timedPoints: number;
}

export interface Frame {
  points: number;
  /** three numbers a point */
  positions: Float32Array;
  speeds: Float32Array;
  /** sizes of the forces of what touches, N; empty where nothing can */
  contact: Float32Array;
  /** of each obstacle, places of what was at the origin and at the ends of the unit vectors */
  poses: Float32Array;
  /** for how long each point of the obstacles was touched so far, s; empty where that is not known */
  contactTime: Float32Array;
}

export function numbersOf({ points, contact, obstacles, timedPoints }: Layout): number {
  return points * (contact ? 5 : 4) + 12 * obstacles + timedPoints;
}

export function unpack(numbers: Float32Array, layout: Layout): Frame {
  const n = layout.points;
  const end = layout.contact ? 5 * n : 4 * n;
  const behind = end + 12 * layout.obstacles;
  return {
    points: n, positions: numbers.subarray(0, 3 * n), speeds: numbers.subarray(3 * n, 4 * n),
    contact: numbers.subarray(4 * n, end), poses: numbers.subarray(end, behind), contactTime: numbers.subarray(behind, behind + layout.timedPoints),
  };
}

/** Some frames that follow each other. */
interface Chunk {
  frames?: Frame[];
  loading?: Promise<void>;
  used: number;
}

/** Frames with a certain number of points. */
class Series {
  readonly chunks = new Map<number, Chunk>();
  /** frames spread over the whole run, by number */
  samples = new Map<number, Frame>();
  readonly frameBytes: number;
  readonly perChunk: number;

  constructor(readonly layout: Layout) {
    this.frameBytes = 4 * Math.max(1, numbersOf(layout));
    this.perChunk = Math.max(1, Math.min(64, Math.floor(chunk_bytes / this.frameBytes)));
  }
}

export class FrameStore {
  times = new Float64Array(0);
  private series = new Map<number, Series>();
  private clock = 0;
  private epoch = 0;

  constructor(readonly run: number, readonly layout: Layout) {}

  get count(): number {
    return this.times.length;
  }
  get bytes(): number {
    let sum = 0;
    for (const { chunks, frameBytes } of this.series.values())
      for (const { frames } of chunks.values()) sum += (frames?.length ?? 0) * frameBytes;
    return sum;
  }

  private of(points: number): Series {
    let found = this.series.get(points);
    if (!found) this.series.set(points, (found = new Series({ ...this.layout, points })));
    return found;
  }

  /** Times that have come since. Frames of another epoch have other numbers. */
  async refresh(count: number, epoch = 0): Promise<void> {
    if (epoch !== this.epoch) {
      this.epoch = epoch;
      this.series.clear();
      this.times = new Float64Array(0);
    }
    if (count <= this.count) return;
    for (const { chunks, perChunk } of this.series.values())
      if (this.count % perChunk) chunks.delete(Math.floor(this.count / perChunk)); // it was not full
    const more = await api.times(this.run, this.count);
    const all = new Float64Array(this.count + more.length);
    all.set(this.times);
    all.set(more, this.count);
    this.times = all;
  }

  /** The last frame that is not after `time`. */
  at(time: number): number {
    let low = 0;
    let high = this.count - 1;
    const slack = 1e-9 * (1 + Math.abs(time));
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + slack) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Frames spread over a run of so many, the first one among them. */
  async samples(count: number, points: number): Promise<Map<number, Frame>> {
    const series = this.of(points);
    if (series.samples.size) return series.samples;
    const every = Math.max(1, Math.floor((count - 1) / (sample_count - 1)));
    const frames = await this.ask(series.layout, 0, Math.min(count, sample_count), every);
    series.samples = new Map(frames.map((frame, k) => [k * every, frame]));
    return series.samples;
  }

  /** A frame that is in memory; one that is not is asked for. */
  get(frame: number, points: number): Frame | undefined {
    const series = this.of(points);
    const number = Math.floor(frame / series.perChunk);
    const chunk = series.chunks.get(number);
    if (chunk) chunk.used = ++this.clock;
    const found = chunk?.frames?.[frame - number * series.perChunk] ?? series.samples.get(frame);
    if (!found && frame < this.count) void this.load(series, number);
    return found;
  }

  /** Throws ServerError. */
  async wait(frame: number, points: number): Promise<Frame> {
    const series = this.of(points);
    for (let tries = 0; tries < 3; tries++) {
      await this.load(series, Math.floor(frame / series.perChunk));
      const found = this.get(frame, points);
      if (found) return found;
    }
    throw new api.ServerError(`frame ${frame} cannot be had`);
  }

  /** What is about to be shown. */
  prefetch(frame: number, points: number): void {
    const series = this.of(points);
    const now = Math.floor(frame / series.perChunk);
    for (const number of [now, now + 1, now + 2])
      if (number * series.perChunk < this.count && !series.chunks.has(number)) void this.load(series, number);
  }

  private load(series: Series, number: number): Promise<void> {
    const known = series.chunks.get(number);
    if (known?.loading) return known.loading;
    if (known?.frames) return Promise.resolve();
    const chunk: Chunk = { used: ++this.clock };
    series.chunks.set(number, chunk);
    const first = number * series.perChunk;
    chunk.loading = this.ask(series.layout, first, Math.min(series.perChunk, this.count - first), 1).then((frames) => {
      chunk.frames = frames;
      chunk.loading = undefined;
      this.forget();
    }, (error) => {
      series.chunks.delete(number);
      throw error;
    });
    chunk.loading.catch(() => undefined);
    return chunk.loading;
  }

  /** Every so manieth frame; the server answers with as many at a time as it likes. */
  private async ask(layout: Layout, first: number, count: number, every: number): Promise<Frame[]> {
    const size = numbersOf(layout);
    const out: Frame[] = [];
    while (out.length < count) {
      const numbers = await api.frames(this.run, { first: first + out.length * every, count: count - out.length, every, points: layout.points });
      const got = Math.floor(numbers.length / size);
      if (got === 0) throw new api.ServerError("an empty answer instead of frames");
      for (let k = 0; k < got; k++) out.push(unpack(numbers.subarray(k * size, (k + 1) * size), layout));
    }
    return out;
  }

  /** What was not used for longest. */
  private forget(): void {
    let sum = this.bytes;
    if (sum <= most_bytes) return;
    const all = [...this.series.values()].flatMap((series) => [...series.chunks].map(([number, chunk]) => ({ series, number, chunk })));
    all.sort((a, b) => a.chunk.used - b.chunk.used);
    for (const { series, number, chunk } of all.slice(0, -4)) {
      if (sum <= most_bytes) break;
      if (!chunk.frames) continue;
      sum -= chunk.frames.length * series.frameBytes;
      series.chunks.delete(number);
    }
  }
}
