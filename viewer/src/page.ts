// Buttons, keys and texts around the picture.
import * as api from "./api";
import { Chart, chartsOf } from "./charts";
import { gradient, touchedGradient } from "./colours";
import { Live } from "./live";
import * as text from "./text";
import { Viewer } from "./viewer";
import type { QuantityName } from "./quantities";

export function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

const refresh_every = 1000; // ms, while a run goes on

export class Page {
  readonly viewer: Viewer;
  private charts: Chart[] = [];
  private infos: api.RunInfo[] = [];
  live?: Live;
  ready = false;
  failure = "";

  constructor() {
    this.viewer = new Viewer(element<HTMLCanvasElement>("canvas"));
    this.chooseTheme();
    this.bind();
    new ResizeObserver(() => this.resize()).observe(element("picture"));
    this.resize();
    const tick = (now: number) => {
      this.viewer.tick(now);
      if (this.viewer.runs.length) this.showMoving();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  async load(): Promise<void> {
    this.say("Loading", "");
    try {
      this.infos = await api.runs();
      this.describe();
      const bad = this.infos.find((info) => info.state === "broken") ?? this.infos.find((info) => !info.frames);
      if (bad) {
        this.say(bad.state === "broken" ? `${bad.name} is broken` : `${bad.name}: nothing to show yet`, bad.message ?? "", bad.state === "broken");
        if (this.unfinished) setTimeout(() => void this.load(), refresh_every);
      } else {
        await this.viewer.load(this.infos);
        document.body.classList.remove("nothing");
        this.viewer.stage.theme(this.dark);
        this.say("", "");
        this.fillChoices();
      }
      await this.loadCharts();
      if (bad) return;
      if (this.infos[0].state === "live") this.live = new Live(this.viewer, this.infos[0], () => this.showMoving());
      this.ready = true;
      if (this.unfinished) setTimeout(() => void this.refresh(), refresh_every);
    } catch (error) {
      this.fail(error);
    }
  }

  private get unfinished(): boolean {
    return this.infos.some((info) => info.state === "live" || info.state === "unfinished");
  }

  private fail(error: unknown): void {
    this.failure = error instanceof Error ? error.message : String(error);
    this.say("Something is wrong", this.failure, true);
  }

  /** A run that goes on has more frames, and later an end. */
  private async refresh(): Promise<void> {
    try {
      this.infos = await api.runs();
      for (const [k, run] of this.viewer.runs.entries()) {
        run.info = this.infos[k];
        await run.store.refresh(run.info.frames, run.info.epoch);
      }
      this.describe();
      await this.loadCharts();
      if (this.unfinished) setTimeout(() => void this.refresh(), refresh_every);
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      element("warnings").prepend(paragraph(this.failure, "bad"));
    }
  }

  private say(title: string, message: string, bad = false): void {
    const state = element("state");
    state.hidden = !title;
    state.className = bad ? "bad" : "";
    const head = document.createElement("b");
    head.textContent = title;
    state.replaceChildren(head, message);
  }

  private describe(): void {
    const letters = this.infos.length > 1 ? ["A: ", "B: "] : [""];
    element("runs").replaceChildren(...this.infos.map((info, k) => {
      const out = document.createElement("div");
      out.className = "run";
      const name = document.createElement("b");
      name.textContent = letters[k] + info.name;
      name.title = info.title ?? info.name;
      const chip = document.createElement("em");
      chip.className = `chip ${info.state}`;
      chip.style.fontStyle = "normal";
      chip.textContent = info.state;
      const method = document.createElement("span");
      method.textContent = [info.integrator, info.tolerance ? `tolerance ${text.short(info.tolerance)}` : info.step ? `h = ${text.short(info.step)} s` : ""]
        .filter(Boolean).join(", ");
      out.append(name, chip, method);
      return out;
    }));
    document.title = `${this.infos.map((info) => info.name).join(" | ")} – stiffly`;
    const facts = element("facts");
    facts.replaceChildren();
    this.infos.forEach((info, k) => {
      const rows: [string, string | undefined][] = [
        ["scene", info.scene_name], ["integrator", info.integrator],
        ["unknowns", info.unknowns === undefined ? undefined : text.count(info.unknowns)],
        ["steps", info.steps === undefined ? undefined : text.count(info.steps)],
        ["frames", text.count(info.frames)],
        ["simulated", info.simulated_seconds === undefined ? undefined : text.duration(info.simulated_seconds)],
        ["computed in", info.wall_seconds === undefined ? undefined : text.duration(info.wall_seconds)],
        ["error", info.error ? `${text.short(info.error.estimated)} (asked ${text.short(info.error.asked)})` : undefined],
      ];
      for (const [name, value] of rows)
        if (value) facts.append(labelled("dt", `${name}${letters.length > 1 ? ` ${"AB"[k]}` : ""}`), labelled("dd", value));
    });
    element("warnings").replaceChildren(
      ...this.infos.flatMap((info, k) => (info.warnings ?? []).map((warning) => paragraph(letters[k] + warning, ""))));
    // Why there is no more to see than there is.
    const messages = this.infos.flatMap((info, k) => {
      const only = info.frames === 1 && info.state !== "live" ? "there is one frame only, so nothing moves" : "";
      const why = [info.message, only].filter(Boolean).join("; ");
      return why ? [paragraph(letters[k] + why, info.state === "failed" || info.state === "broken" ? "bad" : "")] : [];
    });
    element("message").replaceChildren(...messages);
    element("message").hidden = messages.length === 0;
  }

  private fillChoices(): void {
    const viewer = this.viewer;
    const select = element<HTMLSelectElement>("quantity");
    select.replaceChildren(...viewer.quantities.map((q) => new Option(q.unit ? `${q.label} (${q.unit})` : q.label, q.name)));
    viewer.onChange = () => this.showQuantity();
    this.showQuantity();
    const parts = new Set(viewer.runs.flatMap((run) => run.body.parts));
    element("parts").replaceChildren(...[...parts].map((part) => {
      const label = document.createElement("label");
      label.className = "check";
      const box = document.createElement("input");
      box.type = "checkbox";
      box.id = `part-${part}`;
      box.checked = viewer.runs.some((run) => run.body.byDefault(part));
      box.onchange = () => viewer.show(part, box.checked);
      label.append(box, part);
      return label;
    }));
    if (viewer.runs.length > 1 && !viewer.compared)
      element("quantity-note").textContent = "the two runs have different particles: no difference to show";
    this.placeLabels();
  }

  private showQuantity(): void {
    const { quantity, most } = this.viewer;
    element<HTMLSelectElement>("quantity").value = quantity.name;
    element("quantity-note").textContent = quantity.note ?? "";
    const legend = element("legend");
    legend.hidden = quantity.name === "plain";
    element("legend-title").textContent = quantity.unit ? `${quantity.label}, ${quantity.unit}` : quantity.label;
    element("legend-bar").style.background = quantity.name === "touched" ? touchedGradient(this.dark) : gradient(quantity.signed);
    const ticks = quantity.signed ? [-most, 0, most] : [0, most / 2, most];
    element("legend-ticks").replaceChildren(...ticks.map((value, k) =>
      labelled("span", (k === 2 ? "≥ " : quantity.signed && k === 0 ? "≤ " : "") + text.short(value))));
  }

  /** What changes with every picture. */
  showMoving(): void {
    const viewer = this.viewer;
    const end = Math.max(viewer.end, viewer.time); // a live state is newer than the last frame
    const clock = text.seconds(viewer.time, end);
    const time = `${clock} / ${text.seconds(end, end)}`;
    if (element("time").textContent !== time) {
      element("clock").textContent = clock;
      element("time").textContent = time;
      const share = (viewer.time - viewer.start) / Math.max(1e-30, end - viewer.start);
      element<HTMLInputElement>("seek").value = String(Math.round(1000 * share));
      for (const chart of this.charts) chart.draw(viewer.time);
    }
    const ground = viewer.runs[0].info.particles === 0
      ? "unknowns side by side" : `grid ${text.short(viewer.stage.gridSpacing)} m${viewer.magnification > 1 ? `, motion × ${text.short(viewer.magnification)}` : ""}`;
    if (element("ground").textContent !== ground) element("ground").textContent = ground;
    if (element("detail-note").textContent !== viewer.leftOut) element("detail-note").textContent = viewer.leftOut;
    const play = viewer.playing ? "❚❚" : "▶";
    if (element("play").textContent !== play) element("play").textContent = play;
  }

  private async loadCharts(): Promise<void> {
    const tables = await Promise.all(this.infos.map(async (_, k) => {
      const [energy, counters] = await Promise.all([api.table(k, "energy"), api.table(k, "counters")]);
      return { energy, counters };
    }));
    const data = chartsOf(tables);
    const last = (table: api.Table) => table.t?.[table.t.length - 1] ?? 0;
    const end = Math.max(this.viewer.runs.length ? this.viewer.end : 0, ...tables.map(({ energy }) => last(energy)));
    if (data.length !== this.charts.length) {
      this.charts = data.map((chart) => new Chart(chart, (time) => this.seek(time)));
      element("charts").replaceChildren(...this.charts.map((chart) => chart.element));
    }
    data.forEach((chart, k) => this.charts[k].set(chart, end));
  }

  seek(time: number): void {
    this.viewer.playing = false;
    this.live?.follow(false);
    this.viewer.seek(time);
  }

  private resize(): void {
    const box = element("picture").getBoundingClientRect();
    this.viewer.resize(Math.max(1, box.width), Math.max(1, box.height), Math.min(2, devicePixelRatio));
    for (const chart of this.charts) chart.redraw();
    this.placeLabels();
  }

  private placeLabels(): void {
    const stage = this.viewer.stage;
    const height = element("picture").clientHeight;
    element("labels").replaceChildren(...(this.viewer.runs.length < 2 ? [] : stage.views().map((view, k) => {
      const label = labelled("span", `${"AB"[k]}: ${this.infos[k].name}`);
      label.style.left = `${view.x + view.width / 2}px`;
      label.style.top = `${height - view.y - view.height + 10}px`;
      return label;
    })));
  }

  get dark(): boolean {
    return document.documentElement.dataset.theme === "dark";
  }
  private chooseTheme(): void {
    const wished = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => this.theme(wished.matches);
    wished.addEventListener("change", follow);
    follow();
  }
  private theme(dark: boolean): void {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.viewer.stage.theme(dark);
    if (this.viewer.runs.length) this.showQuantity(); // its scale may be another
    this.viewer.redraw();
    for (const chart of this.charts) chart.redraw();
  }

  private colourBy(name: QuantityName): void {
    this.viewer.colourBy(name).catch((error: unknown) => this.fail(error));
  }

  togglePlay(): void {
    const viewer = this.viewer;
    if (viewer.runs.length === 0) return;
    if (this.live?.running) {
      this.live.pause(!this.live.paused);
      return;
    }
    if (!viewer.playing && viewer.time >= viewer.end) viewer.seek(viewer.start);
    viewer.playing = !viewer.playing;
  }

  private stepBy(frames: number): void {
    this.viewer.playing = false;
    this.live?.follow(false);
    this.viewer.stepBy(frames);
  }

  private magnify(logarithm: number): void {
    const slider = element<HTMLInputElement>("magnification");
    slider.value = String(Math.max(0, Math.min(3, logarithm)));
    const factor = 10 ** Number(slider.value);
    element("magnification-value").textContent = `× ${text.short(factor)}`;
    this.viewer.magnify(factor);
  }

  private bind(): void {
    const viewer = this.viewer;
    const click = (id: string, action: () => void) => (element(id).onclick = action);
    click("play", () => this.togglePlay());
    click("back", () => this.stepBy(-1));
    click("forth", () => this.stepBy(1));
    click("theme", () => this.theme(!this.dark));
    click("help", () => element<HTMLDialogElement>("keys").showModal());
    click("home", () => viewer.stage.resetCamera());
    click("panel-toggle", () => {
      const open = element("panel").classList.toggle("open");
      element("panel-toggle").setAttribute("aria-expanded", String(open));
    });
    element("picture").addEventListener("pointerdown", () => {
      element("panel").classList.remove("open");
      element("panel-toggle").setAttribute("aria-expanded", "false");
    });
    element("seek").oninput = () => {
      const share = Number(element<HTMLInputElement>("seek").value) / 1000;
      this.seek(viewer.start + share * (viewer.end - viewer.start));
    };
    element("speed").onchange = () => (viewer.speed = Number(element<HTMLSelectElement>("speed").value));
    element("quantity").onchange = () => this.colourBy(element<HTMLSelectElement>("quantity").value as QuantityName);
    element("magnification").oninput = () => this.magnify(Number(element<HTMLInputElement>("magnification").value));
    element("grid").onchange = () => {
      viewer.stage.showGrid(element<HTMLInputElement>("grid").checked);
      viewer.redraw();
    };
    element("detail").onchange = () => {
      const choice = element<HTMLSelectElement>("detail").value;
      viewer.setDetail(choice === "auto" ? "auto" : Number(choice));
    };
    addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || element<HTMLDialogElement>("keys").open) return;
    const target = event.target as HTMLElement;
    if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === "range" && event.key.startsWith("Arrow") && target.id !== "seek")) return;
    if (!this.viewer.runs.length) return;
    const flip = (id: string) => document.getElementById(id)?.click();
    const logarithm = Math.log10(this.viewer.magnification);
    const names = this.viewer.quantities.map((q) => q.name);
    const actions: Record<string, () => void> = {
      " ": () => this.togglePlay(),
      ArrowLeft: () => this.stepBy(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.stepBy(event.shiftKey ? 10 : 1),
      Home: () => this.seek(this.viewer.start),
      End: () => this.seek(this.viewer.end),
      c: () => this.colourBy(names[(names.indexOf(this.viewer.quantity.name) + 1) % names.length]),
      s: () => flip("part-surface"), b: () => flip("part-springs"), p: () => flip("part-particles"),
      f: () => flip("part-fibres"), o: () => flip("part-obstacles"), g: () => flip("grid"),
      "+": () => this.magnify(logarithm + 0.1), "=": () => this.magnify(logarithm + 0.1), "-": () => this.magnify(logarithm - 0.1),
      r: () => this.viewer.stage.resetCamera(),
      t: () => this.theme(!this.dark),
      "?": () => element<HTMLDialogElement>("keys").showModal(),
      d: () => flip("live-pull"), n: () => flip("live-step"),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function labelled(tag: string, content: string): HTMLElement {
  const out = document.createElement(tag);
  out.textContent = content;
  return out;
}

function paragraph(content: string, kind: string): HTMLElement {
  const out = labelled("p", content);
  out.className = kind;
  return out;
}
