// What several tests of the viewer do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as b from "./browser.mjs";
import { run } from "./runs.mjs";

/** Serves the folders, opens the page, takes the steps; afterwards the browser must not have complained. */
export async function watching(browser, folders, steps, options) {
  const server = await b.serve("view", "--no-open", ...folders);
  const page = await b.openPage(browser, server.url, options);
  let ended;
  try {
    await steps(page);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.close();
    ended = await server.stop();
  }
  assert.equal(ended, 0);
}

export async function seek(page, time) {
  await page.evaluate((t) => window.stiffly.seek(t), time);
  await b.until(page, () => !window.stiffly.viewer.waiting);
}

export const playsSeeksAndColours = (browser, name) => watching(browser, [run(name)], async (p) => {
  const first = await b.pixels(p);
  assert.ok(b.coloured(first) > 1500, `a body is seen: ${b.coloured(first)} pixels`);
  // Later, most of it is elsewhere or of another colour.
  const end = await p.evaluate(() => window.stiffly.viewer.end);
  await seek(p, end);
  const last = await b.pixels(p);
  assert.ok(b.difference(first, last) > 500, "the body has moved");
  await seek(p, 0);
  assert.equal(b.difference(first, await b.pixels(p)), 0, "the same time, the same picture");
  // Playing.
  await p.selectOption("#speed", "0.1");
  await p.locator("#canvas").focus();
  await p.keyboard.press("Space");
  await b.until(p, () => window.stiffly.viewer.time > 0.06);
  await p.keyboard.press("Space");
  assert.equal(await p.evaluate(() => window.stiffly.viewer.playing), false);
  // The frame that is shown is that of the file: compared with the server's numbers.
  const shown = await p.evaluate(async () => {
    const viewer = window.stiffly.viewer;
    const { store, body, frame } = viewer.runs[0];
    const x = new Float32Array(await (await fetch(`api/runs/0/frames?first=${frame}&count=1`)).arrayBuffer());
    const at = body.where(3, viewer.stage.controls.target.clone());
    return { time: store.times[frame], now: viewer.time, same: at.x === x[9] && at.y === x[10] && at.z === x[11], frame };
  });
  assert.ok(shown.same && shown.frame > 0 && shown.time <= shown.now + 1e-9);
  // Colours.
  await seek(p, end);
  const before = await b.pixels(p);
  for (const quantity of ["strain", "force", "energy", "plain"]) {
    await p.selectOption("#quantity", quantity);
    assert.ok(b.difference(before, await b.pixels(p)) > 500, `${quantity} looks different`);
  }
  // Links under the picture: a click into the chart goes to its time.
  const box = await p.locator(".chart canvas").first().boundingBox();
  await p.mouse.click(box.x + 52 + 0.5 * (box.width - 60), box.y + 40);
  const { simulated_seconds } = JSON.parse(readFileSync(join(run(name), "run.json"), "utf8"));
  assert.ok(Math.abs((await p.evaluate(() => window.stiffly.viewer.time)) - 0.5 * simulated_seconds) < 0.02 * end);
});
