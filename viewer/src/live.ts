// A run that goes on while one looks: its newest state, pausing it, and pulling at it.
import * as api from "./api";
import { element } from "./page";
import * as text from "./text";
import type { Viewer } from "./viewer";

/** Pixels around the mouse in which a particle is found. */
const reach = 24;

export class Live {
  paused = false;
  running = true;
  /** versions of the state that have been shown */
  shown = 0;
  private following = true;
  held = -1;
  target = { x: 0, y: 0, z: 0 };
  /** where to pull to next: the newest place, as soon as the last order has been taken */
  private nextPull?: Record<string, unknown>;
  private orders = 0;
  private asking = new AbortController();

  constructor(private readonly viewer: Viewer, private readonly info: api.RunInfo, private readonly onChange: () => void) {
    element("live").hidden = false;
    element("follow").onclick = () => this.follow(true);
    element("live-pause").onclick = () => this.pause(!this.paused);
    element("live-step").onclick = () => this.order({ step: true });
    const paced = element<HTMLInputElement>("live-paced");
    paced.onchange = () => this.order({ paced: paced.checked });
    const steerable = info.steerable ?? false;
    for (const id of ["live-pull", "pull"]) element<HTMLInputElement>(id).disabled = !steerable;
    element("live-note").textContent = steerable ? "" : "this run cannot be pulled at";
    element("pull").oninput = () => this.showStrength();
    this.showStrength();
    this.bindMouse();
    viewer.onPoints = () => this.asking.abort();
    void this.listen();
  }

  private get stiffness(): number {
    return (this.info.stiffness ?? 1) * 10 ** Number(element<HTMLInputElement>("pull").value);
  }
  private showStrength(): void {
    element("pull-value").textContent = `${text.short(this.stiffness)} N/m`;
  }

  pause(paused: boolean): void {
    this.order({ paused });
  }

  follow(following: boolean): void {
    this.following = following;
    element("follow").hidden = following || !this.running;
  }

  private order(what: Record<string, unknown>): void {
    this.orders++;
    api.steer(what)
      .catch((error: Error) => (element("live-note").textContent = error.message))
      .finally(() => {
        this.orders--;
        this.sendPull();
      });
  }
  private sendPull(): void {
    if (!this.nextPull || this.orders > 0) return;
    const pull = this.nextPull;
    this.nextPull = undefined;
    this.order({ pull });
  }
  /** Whether all that was ordered has been taken. */
  get idle(): boolean {
    return this.orders === 0 && !this.nextPull;
  }

  private async listen(): Promise<void> {
    for (let version = 0; this.running; ) {
      this.asking = new AbortController();
      const { signal } = this.asking;
      try {
        const points = this.viewer.points(this.viewer.runs[0]);
        const state = await api.liveState(version, points, signal);
        version = state.version;
        this.paused = state.paused;
        this.running = !state.ended;
        element("live-pause").textContent = state.paused ? "Go on" : "Pause";
        element<HTMLButtonElement>("live-step").disabled = !state.paused || state.ended;
        element<HTMLButtonElement>("live-pause").disabled = state.ended;
        element<HTMLInputElement>("live-paced").checked = state.paced;
        if (state.ended) element("live-note").textContent = "the simulation has ended";
        if (this.following) this.viewer.showLive(state.time, state.numbers, points);
        if (this.held >= 0) this.showPull();
        this.shown++;
        this.onChange();
      } catch (error) {
        if (signal.aborted) {
          version = 0; // the same state with other points
          continue;
        }
        this.running = false;
        element("live-note").textContent = (error as Error).message;
      }
    }
  }

  private bindMouse(): void {
    const canvas = this.viewer.stage.canvas;
    const controls = this.viewer.stage.controls;
    const place = (event: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top] as const;
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (!element<HTMLInputElement>("live-pull").checked || event.button !== 0 || !this.running) return;
      const found = this.viewer.stage.pick(0, ...place(event), reach);
      if (found < 0) return;
      event.stopImmediatePropagation();
      controls.enabled = false;
      canvas.setPointerCapture(event.pointerId);
      this.held = found;
      this.viewer.runs[0].body.choose(found);
      this.pull(...place(event));
    }, { capture: true });
    canvas.addEventListener("pointermove", (event) => {
      if (this.held >= 0) this.pull(...place(event));
    });
    const release = () => {
      if (this.held < 0) return;
      this.held = -1;
      controls.enabled = true;
      this.viewer.runs[0].body.choose(-1);
      this.viewer.stage.showPull(0);
      this.viewer.redraw();
      this.nextPull = undefined;
      if (this.running) this.order({ release: true });
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  /** Towards the place under the mouse, as far away as the particle is. */
  private pull(x: number, y: number): void {
    const { stage, runs } = this.viewer;
    const body = runs[0].body;
    const shown = body.shown(this.held, stage.controls.target.clone());
    const offset = body.where(this.held, shown.clone()).sub(shown);
    const to = stage.under(0, x, y, shown).add(offset);
    this.target = { x: to.x, y: to.y, z: to.z };
    this.showPull();
    if (!this.running) return;
    this.nextPull = { particle: this.held, point: [to.x, to.y, to.z], stiffness: this.stiffness };
    this.sendPull();
  }

  private showPull(): void {
    const { stage, runs } = this.viewer;
    const from = runs[0].body.shown(this.held, stage.controls.target.clone());
    stage.showPull(0, from, from.clone().set(this.target.x, this.target.y, this.target.z));
    this.viewer.redraw();
  }
}
