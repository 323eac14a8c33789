// A run that goes on while one looks: its newest state, pausing it, and pulling at it.
import * as api from "./api";
import { element } from "./page";
import * as text from "./text";
import type { Viewer } from "./viewer";

/** Pixels around the mouse in which a particle is found. */
const reach = 24;
const least_between_orders = 30; // ms

export class Live {
  paused = false;
  running = true;
  /** versions of the state that have been shown */
  shown = 0;
  private following = true;
  held = -1;
  target = { x: 0, y: 0, z: 0 };
  private sent = 0;

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
    api.steer(what).catch((error: Error) => (element("live-note").textContent = error.message));
  }

  private async listen(): Promise<void> {
    for (let version = 0; this.running; ) {
      try {
        const state = await api.liveState(version);
        version = state.version;
        this.paused = state.paused;
        this.running = !state.ended;
        element("live-pause").textContent = state.paused ? "Go on" : "Pause";
        element<HTMLButtonElement>("live-step").disabled = !state.paused || state.ended;
        element<HTMLButtonElement>("live-pause").disabled = state.ended;
        element<HTMLInputElement>("live-paced").checked = state.paced;
        if (state.ended) element("live-note").textContent = "the simulation has ended";
        if (this.following) this.viewer.showLive(state.time, state.frame);
        if (this.held >= 0) this.showPull();
        this.shown++;
        this.onChange();
      } catch (error) {
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
      this.pull(...place(event), true);
    }, { capture: true });
    canvas.addEventListener("pointermove", (event) => {
      if (this.held >= 0) this.pull(...place(event), false);
    });
    const release = () => {
      if (this.held < 0) return;
      this.held = -1;
      controls.enabled = true;
      this.viewer.runs[0].body.choose(-1);
      this.viewer.stage.showPull(0);
      this.viewer.redraw();
      this.order({ release: true });
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  /** Towards the place under the mouse, as far away as the particle is. */
  private pull(x: number, y: number, at_once: boolean): void {
    const { stage, runs } = this.viewer;
    const body = runs[0].body;
    const shown = body.shown(this.held, stage.controls.target.clone());
    const offset = body.where(this.held, shown.clone()).sub(shown);
    const to = stage.under(0, x, y, shown).add(offset);
    this.target = { x: to.x, y: to.y, z: to.z };
    this.showPull();
    const now = performance.now();
    if (!at_once && now - this.sent < least_between_orders) return;
    this.sent = now;
    this.order({ pull: { particle: this.held, point: [to.x, to.y, to.z], stiffness: this.stiffness } });
  }

  private showPull(): void {
    const { stage, runs } = this.viewer;
    const from = runs[0].body.shown(this.held, stage.controls.target.clone());
    stage.showPull(0, from, from.clone().set(this.target.x, this.target.y, this.target.z));
    this.viewer.redraw();
  }
}
