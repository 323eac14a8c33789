// What the server has to say: descriptions as JSON, frames and topology as arrays of numbers.

export type RunState =
  | "live" | "unfinished" | "done" | "interrupted" | "failed" | "empty" | "broken";

/** A run as the server describes it; what run.json does not say is missing. */
export interface RunInfo {
  name: string;
  state: RunState;
  message?: string;
  frames: number;
  /** points of a frame */
  rows?: number;
  /** whether frames have the sizes of contact forces */
  contact?: boolean;
  obstacles?: number;
  /** points of obstacles, where frames have how long they were touched */
  contact_time_points?: number;
  epoch?: number;
  warnings?: string[];
  title?: string;
  scene_name?: string;
  model?: string;
  integrator?: string;
  step?: number | null;
  tolerance?: number | null;
  unknowns?: number;
  particles?: number;
  springs?: number;
  steps?: number;
  simulated_seconds?: number;
  wall_seconds?: number;
  duration?: number;
  steered?: boolean;
  steerable?: boolean;
  stiffness?: number;
  error?: { asked: number; estimated: number };
}

/** Points are named by the places in which they come. */
export interface Topology {
  /** of the points, as the scene has them */
  numbers: Int32Array;
  triangles: Int32Array;
  springs: Int32Array;
  /** of tetrahedra, where there are no springs */
  edges: Int32Array;
  /** of each fibre its first point and how many there are; fibres come last among points, in no order */
  strands: Int32Array;
  mass: Float32Array;
  stiffness: Float32Array;
  rest_length: Float32Array;
  hardening: Float32Array;
  obstacle_points: Float32Array;
  obstacle_of_point: Int32Array;
  obstacle_triangles: Int32Array;
  /** 1: the drawn piece of a plane that goes on */
  obstacle_endless: Int32Array;
  /** how many of the first points, and how many triangles each has, from finer to coarser */
  coarse_surfaces: Int32Array;
  coarse_triangles: Int32Array;
}

/** Lines of a table by the names in its first line. */
export type Table = Record<string, Float64Array>;

export class ServerError extends Error {}

async function ask(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServerError("the program that shows this page has ended");
  }
  if (!response.ok) throw new ServerError((await response.text()).trim() || response.statusText);
  return response;
}

export async function runs(): Promise<RunInfo[]> {
  return (await ask("api/runs")).json();
}

export async function topology(run: number): Promise<Topology> {
  const bytes = await (await ask(`api/runs/${run}/topology`)).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const contents = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as {
    name: keyof Topology; type: "i32" | "f32"; count: number;
  }[];
  const out: Partial<Record<keyof Topology, Int32Array | Float32Array>> = {};
  let at = 4 + length;
  for (const { name, type, count } of contents) {
    out[name] = type === "i32" ? new Int32Array(bytes, at, count) : new Float32Array(bytes, at, count);
    at += 4 * count;
  }
  return out as Topology;
}

export async function times(run: number, first: number): Promise<Float64Array> {
  return new Float64Array(await (await ask(`api/runs/${run}/times?first=${first}`)).arrayBuffer());
}

/** Of every so manieth frame the first `points`: as many frames as the server puts into one answer. */
export async function frames(run: number, { first, count, every, points }: Record<"first" | "count" | "every" | "points", number>): Promise<Float32Array> {
  const path = `api/runs/${run}/frames?first=${first}&count=${count}&every=${every}&points=${points}`;
  return new Float32Array(await (await ask(path)).arrayBuffer());
}

export async function table(run: number, name: "energy" | "counters"): Promise<Table> {
  const lines = (await (await ask(`api/runs/${run}/${name}`)).text()).trim().split("\n");
  const names = lines[0] ? lines[0].split(",") : [];
  const out: Table = {};
  for (const column of names) out[column] = new Float64Array(lines.length - 1);
  for (let row = 1; row < lines.length; row++) {
    const cells = lines[row].split(",");
    names.forEach((column, k) => (out[column][row - 1] = Number(cells[k])));
  }
  return out;
}

/** The newest state of a live run, and how it stands. */
export interface LiveState {
  version: number;
  time: number;
  steps: number;
  step: number;
  paused: boolean;
  paced: boolean;
  ended: boolean;
  numbers: Float32Array;
}

const liveHeader = 7;

/** Waits on the server until there is something newer than `after`. */
export async function liveState(after: number, points: number, signal?: AbortSignal): Promise<LiveState> {
  const bytes = await (await ask(`api/live?after=${after}&points=${points}`, signal)).arrayBuffer();
  const [version, time, steps, step, paused, paced, ended] = new Float64Array(bytes, 0, liveHeader);
  return {
    version, time, steps, step, paused: paused > 0, paced: paced > 0, ended: ended > 0,
    numbers: new Float32Array(bytes, 8 * liveHeader),
  };
}

export async function post(name: string, body: BodyInit): Promise<void> {
  const response = await fetch(`api/${name}`, { method: "POST", body });
  if (!response.ok) throw new ServerError((await response.text()).trim() || response.statusText);
}

export function steer(order: Record<string, unknown>): Promise<void> {
  return post("live", JSON.stringify(order));
}
