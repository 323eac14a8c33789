// Energies, errors and steps over time, under the picture and linked to it.
import type { Table } from "./api";
import { short } from "./text";

export interface Line {
  label: string;
  colour: string; // a CSS variable
  t: Float64Array;
  y: Float64Array;
  dashed?: boolean;
}

export interface ChartData {
  title: string;
  unit: string;
  lines: Line[];
  logarithmic?: boolean;
}

const margin = { left: 52, right: 8, top: 8, bottom: 18 };

export class Chart {
  readonly element = document.createElement("figure");
  private readonly canvas = document.createElement("canvas");
  private readonly caption = document.createElement("figcaption");
  private data: ChartData;
  private end = 1;
  private time = 0;
  private picture?: ImageBitmap | HTMLCanvasElement;

  constructor(data: ChartData, onSeek: (time: number) => void) {
    this.element.className = "chart";
    this.element.append(this.caption, this.canvas);
    this.data = data;
    const seek = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
      onSeek(Math.max(0, Math.min(1, share)) * this.end);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) seek(event);
    });
  }

  set(data: ChartData, end: number): void {
    this.data = data;
    this.end = end || 1;
    this.caption.replaceChildren(`${data.title}, ${data.unit}`);
    for (const line of data.lines.filter((line) => !line.dashed)) {
      const key = document.createElement("i");
      key.style.color = `var(${line.colour})`;
      key.textContent = line.label;
      this.caption.append(key);
    }
    if (data.lines.some((line) => line.dashed)) this.caption.append(Object.assign(document.createElement("em"), { textContent: "dashed: B" }));
    this.picture = undefined;
    this.draw(this.time);
  }

  redraw(): void {
    this.picture = undefined;
    this.draw(this.time);
  }

  draw(time: number): void {
    this.time = time;
    const ratio = Math.min(2, devicePixelRatio);
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width < 40 || height < 30) return;
    if (!this.picture || this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.picture = this.drawLines(width, height, ratio);
    }
    const context = this.canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.picture, 0, 0);
    context.scale(ratio, ratio);
    const x = margin.left + Math.max(0, Math.min(1, time / this.end)) * (width - margin.left - margin.right);
    context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue("--ink");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, margin.top);
    context.lineTo(x, height - margin.bottom);
    context.stroke();
  }

  private drawLines(width: number, height: number, ratio: number): HTMLCanvasElement {
    const out = document.createElement("canvas");
    out.width = this.canvas.width;
    out.height = this.canvas.height;
    const context = out.getContext("2d")!;
    context.scale(ratio, ratio);
    const style = getComputedStyle(this.canvas);
    const colour = (name: string) => style.getPropertyValue(name);
    const log = this.data.logarithmic ?? false;
    let low = Infinity;
    let high = -Infinity;
    for (const line of this.data.lines)
      for (const y of line.y) {
        if (!Number.isFinite(y) || (log && y <= 0)) continue;
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
    if (!(high >= low)) [low, high] = log ? [1e-3, 1] : [0, 1];
    if (!log && high - low < 1e-12 * Math.max(Math.abs(high), Math.abs(low), 1e-300)) {
      const room = Math.abs(high) * 0.1 || 1;
      [low, high] = [low - room, high + room];
    }
    if (log) [low, high] = [10 ** Math.floor(Math.log10(low) - 0.05), 10 ** Math.ceil(Math.log10(high) + 0.05)];
    const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
    const share = (y: number) => (log ? Math.log(y / low) / Math.log(high / low) : (y - low) / (high - low));
    const px = (t: number) => margin.left + (t / this.end) * inner.width;
    const py = (y: number) => margin.top + (1 - share(y)) * inner.height;

    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colour("--soft");
    context.strokeStyle = colour("--line");
    context.lineWidth = 1;
    const rows = log ? decades(low, high) : ticks(low, high, 3);
    for (const y of rows) {
      context.beginPath();
      context.moveTo(margin.left, py(y));
      context.lineTo(width - margin.right, py(y));
      context.stroke();
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(short(y), margin.left - 5, py(y));
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const t of ticks(0, this.end, Math.max(2, Math.min(6, Math.floor(inner.width / 70)))))
      context.fillText(`${short(t)} s`, Math.min(px(t), width - 14), height - margin.bottom + 4);

    context.lineWidth = 1.4;
    context.lineJoin = "round";
    for (const line of this.data.lines) {
      context.strokeStyle = colour(line.colour);
      context.setLineDash(line.dashed ? [4, 3] : []);
      context.beginPath();
      let pen = false;
      for (let i = 0; i < line.t.length; i++) {
        const y = line.y[i];
        if (!Number.isFinite(y) || (log && y <= 0)) {
          pen = false;
          continue;
        }
        if (pen) context.lineTo(px(line.t[i]), py(y));
        else context.moveTo(px(line.t[i]), py(y));
        pen = true;
      }
      context.stroke();
    }
    return out;
  }
}

function ticks(low: number, high: number, about: number): number[] {
  const raw = (high - low) / about;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * decade).find((s) => s >= raw) ?? 10 * decade;
  const out: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9) + 1e-12 * step; k++) out.push(k * step);
  return out;
}

function decades(low: number, high: number): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const stride = Math.max(1, Math.ceil((last - first) / 4));
  const out: number[] = [];
  for (let k = first; k <= last; k += stride) out.push(10 ** k);
  return out;
}

/** The lines of a run's tables; of the second of two runs they are dashed. */
export function chartsOf(tables: { energy: Table; counters: Table }[]): ChartData[] {
  const energy: ChartData = { title: "Energy", unit: "J", lines: [] };
  const error: ChartData = { title: "Numerical error of the energy", unit: "J", lines: [] };
  const steps: ChartData = { title: "Step size", unit: "s", lines: [], logarithmic: true };
  tables.forEach(({ energy: e, counters: c }, k) => {
    const dashed = k > 0;
    const add = (to: ChartData, label: string, colour: string, t: Float64Array, y: Float64Array) =>
      to.lines.push({ label, colour, t, y, dashed });
    if (e.t?.length) {
      add(energy, "kinetic", "--a", e.t, e.kinetic);
      add(energy, "elastic", "--b", e.t, e.potential.map((p, i) => p - (e.weight?.[i] ?? 0)));
      if (e.weight?.some((w) => w !== e.weight[0])) add(energy, "weight", "--c", e.t, e.weight);
      if (e.dissipated?.some((d) => d !== 0)) add(energy, "dissipated", "--d", e.t, e.dissipated);
      add(energy, "total", "--ink", e.t, e.total);
      if (e.error) add(error, "error", "--b", e.t, e.error);
    }
    if (c.t?.length > 1) {
      const h = new Float64Array(c.t.length - 1);
      for (let i = 0; i < h.length; i++) h[i] = (c.t[i + 1] - c.t[i]) / (c.steps[i + 1] - c.steps[i]);
      add(steps, "step", "--a", c.t.subarray(1), h);
    }
  });
  return [energy, error, steps].filter((chart) => chart.lines.length);
}
