// The frames of one run: some of them in memory, the others asked for when they are due.
import * as api from "./api";

/** Bytes of frames that are kept, all runs of the page together count twice this at most. */
const most_bytes = 160 << 20;
const chunk_bytes = 3 << 20;

/** What a frame is made of. */
export interface Layout {
  points: number;
  contact: boolean;
  obstacles: number;
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
}

export function numbersOf({ points, contact, obstacles }: Layout): number {
  return points * (contact ? 5 : 4) + 12 * obstacles;
}

export function unpack(numbers: Float32Array, layout: Layout): Frame {
  const n = layout.points;
  const end = layout.contact ? 5 * n : 4 * n;
  return {
    points: n, positions: numbers.subarray(0, 3 * n), speeds: numbers.subarray(3 * n, 4 * n),
    contact: numbers.subarray(4 * n, end), poses: numbers.subarray(end, end + 12 * layout.obstacles),
  };
}

interface Chunk {
  data?: Float32Array;
  loading?: Promise<void>;
  used: number;
}

export class FrameStore {
  times = new Float64Array(0);
  private chunks = new Map<number, Chunk>();
  private clock = 0;
  private epoch = 0;
  readonly perChunk: number;

  constructor(readonly run: number, readonly layout: Layout) {
    this.perChunk = Math.max(1, Math.min(64, Math.floor(chunk_bytes / this.frameBytes)));
  }

  get count(): number {
    return this.times.length;
  }
  get frameBytes(): number {
    return 4 * Math.max(1, numbersOf(this.layout));
  }
  get bytes(): number {
    let sum = 0;
    for (const chunk of this.chunks.values()) sum += chunk.data?.byteLength ?? 0;
    return sum;
  }

  /** Times that have come since. Frames of another epoch have other numbers. */
  async refresh(count: number, epoch = 0): Promise<void> {
    if (epoch !== this.epoch) {
      this.epoch = epoch;
      this.chunks.clear();
      this.times = new Float64Array(0);
    }
    if (count <= this.count) return;
    const last = Math.floor(this.count / this.perChunk);
    if (this.count % this.perChunk) this.chunks.delete(last); // it was not full
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

  /** A frame that is in memory; one that is not is asked for. */
  get(frame: number): Frame | undefined {
    const number = Math.floor(frame / this.perChunk);
    const chunk = this.chunks.get(number);
    if (!chunk?.data) {
      if (frame < this.count) void this.load(number);
      return undefined;
    }
    chunk.used = ++this.clock;
    return this.slice(chunk.data, frame - number * this.perChunk);
  }

  /** Throws ServerError. */
  async wait(frame: number): Promise<Frame> {
    for (let tries = 0; tries < 3; tries++) {
      await this.load(Math.floor(frame / this.perChunk));
      const found = this.get(frame);
      if (found) return found;
    }
    throw new api.ServerError(`frame ${frame} cannot be had`);
  }

  /** What is about to be shown. */
  prefetch(frame: number): void {
    const next = Math.floor(frame / this.perChunk) + 1;
    for (const number of [next, next + 1])
      if (number * this.perChunk < this.count && !this.chunks.has(number)) void this.load(number);
  }

  private slice(data: Float32Array, offset: number): Frame | undefined {
    const size = numbersOf(this.layout);
    return data.length >= (offset + 1) * size ? unpack(data.subarray(offset * size, (offset + 1) * size), this.layout) : undefined;
  }

  private load(number: number): Promise<void> {
    const known = this.chunks.get(number);
    if (known?.loading) return known.loading;
    if (known?.data) return Promise.resolve();
    const chunk: Chunk = { used: ++this.clock };
    this.chunks.set(number, chunk);
    chunk.loading = this.fill(number, chunk).catch((error) => {
      this.chunks.delete(number);
      throw error;
    });
    chunk.loading.catch(() => undefined);
    return chunk.loading;
  }

  private async fill(number: number, chunk: Chunk): Promise<void> {
    const first = number * this.perChunk;
    const wanted = Math.min(this.perChunk, this.count - first);
    const parts: Float32Array[] = [];
    let have = 0;
    while (have < wanted) {
      const part = await api.frames(this.run, first + have, wanted - have, this.layout.points);
      const got = Math.floor(part.length / numbersOf(this.layout));
      if (got === 0) throw new api.ServerError("an empty answer instead of frames");
      parts.push(part);
      have += got;
    }
    chunk.data = parts.length === 1 ? parts[0] : joined(parts);
    chunk.loading = undefined;
    this.forget();
  }

  private forget(): void {
    const least = Math.max(4, Math.floor(most_bytes / (this.perChunk * this.frameBytes)));
    if (this.chunks.size <= least) return;
    const full = [...this.chunks].filter(([, chunk]) => chunk.data).sort((a, b) => a[1].used - b[1].used);
    for (const [number] of full.slice(0, this.chunks.size - least)) this.chunks.delete(number);
  }
}

function joined(parts: Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
