// Pictures of a run, one after the other, sent to the program that asked for them.
import * as api from "./api";
import * as colours from "./colours";
import { element } from "./page";
import * as text from "./text";
import { Viewer } from "./viewer";
import type { QuantityName } from "./quantities";

interface Order {
  width: number;
  height: number;
  times: number[];
  quantity?: QuantityName;
  magnification: number;
  dark: boolean;
}

/** The program says what it wants, and gets a picture for every time. */
export async function capture(): Promise<void> {
  document.body.classList.add("capture");
  try {
    const order = (await (await fetch("api/capture/order")).json()) as Order;
    const infos = await api.runs();
    const unfit = infos.find((info) => info.state === "broken" || !info.frames);
    if (unfit) throw new Error(`${unfit.name}: ${unfit.message ?? "there are no frames"}`);
    const viewer = new Viewer(element<HTMLCanvasElement>("canvas"));
    viewer.resize(order.width, order.height, 1);
    await viewer.load(infos);
    viewer.stage.theme(order.dark);
    if (order.quantity) {
      if (!viewer.quantities.some((q) => q.name === order.quantity))
        throw new Error(`there is no colour '${order.quantity}' for this run, only ${viewer.quantities.map((q) => q.name).join(", ")}`);
      await viewer.colourBy(order.quantity);
    }
    viewer.magnify(order.magnification);
    viewer.setDetail(1);
    const canvas = document.createElement("canvas");
    canvas.width = order.width;
    canvas.height = order.height;
    for (const [k, time] of order.times.entries()) {
      for (const run of viewer.runs) await run.store.wait(run.store.at(time), run.body.particles);
      viewer.seek(time);
      viewer.stage.draw();
      compose(canvas, viewer, order.dark, time);
      const picture = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
      if (!picture) throw new Error("the browser gave no picture");
      await api.post(`capture/picture?number=${k}`, picture);
    }
  } catch (error) {
    await api.post("capture/failure", error instanceof Error ? error.message : String(error));
  }
}

/** The picture with what a viewer has around it: time, names, colours and the size of the ground. */
function compose(canvas: HTMLCanvasElement, viewer: Viewer, dark: boolean, time: number): void {
  const context = canvas.getContext("2d")!;
  const { width, height } = canvas;
  const unit = Math.max(10, height / 48);
  context.drawImage(viewer.stage.canvas, 0, 0, width, height);
  const ink = dark ? "#e4e9ee" : "#1b232c";
  const soft = dark ? "#98a5b1" : "#5a6875";
  const write = (content: string, x: number, y: number, size: number, colour: string, align: CanvasTextAlign = "left") => {
    context.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
    context.fillStyle = colour;
    context.textAlign = align;
    context.textBaseline = "alphabetic";
    context.fillText(content, x, y);
  };
  write(text.seconds(time, viewer.end), unit, 2.2 * unit, 1.5 * unit, ink);
  const ground = `grid ${text.short(viewer.stage.gridSpacing)} m${viewer.magnification !== 1 ? `, motion × ${text.short(viewer.magnification)}` : ""}`;
  if (viewer.runs[0].info.particles !== 0) write(ground, unit, 3.6 * unit, unit, soft);
  if (viewer.runs.length > 1)
    viewer.stage.views().forEach((view, k) => {
      const info = viewer.runs[k].info;
      write(`${info.name}${info.integrator ? ` · ${info.integrator}` : ""}`, view.x + view.width / 2, height - view.y - view.height + 2 * unit, 1.1 * unit, ink, "center");
    });
  const { quantity, most } = viewer;
  if (quantity.name === "plain") return;
  const bar = { x: width - 16 * unit, y: height - 3 * unit, width: 15 * unit, height: 0.7 * unit };
  for (let i = 0; i < 120; i++) {
    context.fillStyle = quantity.name === "touched" ? colours.touchedCss(dark, i / 119) : colours.css(quantity.signed, i / 119);
    context.fillRect(bar.x + (i * bar.width) / 120, bar.y, bar.width / 120 + 1, bar.height);
  }
  write(quantity.unit ? `${quantity.label}, ${quantity.unit}` : quantity.label, bar.x, bar.y - 0.6 * unit, unit, ink);
  const ticks = quantity.signed ? [-most, 0, most] : [0, most / 2, most];
  ticks.forEach((value, k) =>
    write(text.short(value), bar.x + (k * bar.width) / 2, bar.y + bar.height + 1.2 * unit, 0.9 * unit, soft, (["left", "center", "right"] as const)[k]));
}
