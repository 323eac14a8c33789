// The viewer in a real browser that nobody sees: what a user does, and what then is on the screen and in the files.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as b from "./browser.mjs";

let browser;
const run = (name) => join(b.folder, name);

before(async () => {
  b.stiffly("run", "coil", "--duration", "0.31", "--step", "0.01", "--frames", "40", "-o", run("coil"));
  b.stiffly("run", "coil", "--duration", "0.31", "--step", "0.01", "--frames", "40", "--set", "stiffness=3e5", "-o", run("softer"));
  b.stiffly("run", "flag", "--duration", "0.21", "--step", "0.01", "--integrator", "newmark", "--frames", "40", "-o", run("flag"));
  b.stiffly("run", "tower", "--duration", "0.31", "--frames", "40", "-o", run("tower"));
  browser = await b.openBrowser();
});
after(async () => browser?.close());

const page = {
  time: (p) => p.evaluate(() => window.stiffly.viewer.time),
  seek: (p, time) => p.evaluate((t) => window.stiffly.seek(t), time).then(() =>
    b.until(p, () => !window.stiffly.viewer.waiting)),
};

for (const name of ["coil", "flag", "tower"])
  test(`${name}: loads, plays, seeks, changes its colours`, async () => {
    const server = await b.serve("view", "--no-open", run(name));
    const p = await b.openPage(browser, server.url);
    const first = await b.pixels(p);
    assert.ok(b.coloured(first) > 1500, `a body is seen: ${b.coloured(first)} pixels`);
    // Later, most of it is elsewhere or of another colour.
    const end = await p.evaluate(() => window.stiffly.viewer.end);
    await page.seek(p, end);
    const last = await b.pixels(p);
    assert.ok(b.difference(first, last) > 500, "the body has moved");
    await page.seek(p, 0);
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
      const bytes = await (await fetch(`api/runs/0/frames?first=${frame}&count=1`)).arrayBuffer();
      const x = new Float32Array(bytes);
      const at = body.where(3, viewer.stage.controls.target.clone());
      return { time: store.times[frame], now: viewer.time, same: at.x === x[9] && at.y === x[10] && at.z === x[11], frame };
    });
    assert.ok(shown.same && shown.frame > 0 && shown.time <= shown.now + 1e-9);
    // Colours.
    await page.seek(p, end);
    const before = await b.pixels(p);
    for (const quantity of ["strain", "force", "energy", "plain"]) {
      await p.selectOption("#quantity", quantity);
      const now = await b.pixels(p);
      assert.ok(b.difference(before, now) > 500, `${quantity} looks different`);
    }
    // Links under the picture: a click into the chart goes to its time.
    const chart = p.locator(".chart canvas").first();
    const box = await chart.boundingBox();
    await p.mouse.click(box.x + 52 + 0.5 * (box.width - 60), box.y + 40);
    const { simulated_seconds } = JSON.parse(readFileSync(join(run(name), "run.json"), "utf8"));
    assert.ok(Math.abs((await page.time(p)) - 0.5 * simulated_seconds) < 0.02 * end);
    assert.deepEqual(p.complaints, []);
    await p.close();
    assert.equal(await server.stop(), 0);
  });

test("strain, force and energy are those of the springs", async () => {
  const server = await b.serve("view", "--no-open", run("coil"));
  const p = await b.openPage(browser, server.url);
  await page.seek(p, 0.2);
  // All stored energy, and all energy of motion, against energy.csv.
  await p.selectOption("#quantity", "energy");
  const sum = await p.evaluate(() => window.stiffly.viewer.runs[0].body.values.reduce((a, v) => a + v, 0));
  const rows = readFileSync(join(run("coil"), "energy.csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const row = rows.find((r) => Math.abs(r[0] - 0.2) < 1e-9);
  const expected = row[1] + row[2] - row[4]; // kinetic + potential − weight
  assert.ok(Math.abs(sum - expected) < 2e-3 * expected, `${sum} J shown, ${expected} J in the file`);
  await p.close();
  await server.stop();
});

test("two runs side by side, in step, with their difference as colour", async () => {
  const server = await b.serve("view", "--no-open", run("coil"), run("softer"));
  const p = await b.openPage(browser, server.url);
  assert.equal(await p.evaluate(() => window.stiffly.viewer.quantity.name), "difference");
  await page.seek(p, 0.3);
  const apart = await p.evaluate(() => {
    const [a, c] = window.stiffly.viewer.runs;
    const one = a.store.get(a.frame), other = c.store.get(c.frame);
    const last = a.body.particles - 1;
    return { value: a.body.values[last], distance: Math.hypot(one[3 * last] - other[3 * last], one[3 * last + 1] - other[3 * last + 1], one[3 * last + 2] - other[3 * last + 2]), frames: [a.frame, c.frame] };
  });
  assert.ok(apart.distance > 1e-3 && Math.abs(apart.value - apart.distance) < 1e-6);
  assert.equal(apart.frames[0], apart.frames[1]);
  const picture = await b.pixels(p);
  const start = await (await page.seek(p, 0), b.pixels(p));
  assert.ok(b.difference(start, picture, { right: 0.5, top: 0.15 }) > 300, "the left one moves");
  assert.ok(b.difference(start, picture, { left: 0.5, top: 0.15, bottom: 0.75 }) > 300, "the right one moves");
  assert.deepEqual(p.complaints, []);
  await p.close();
  await server.stop();
});

test("magnified motion is seen larger", async () => {
  const server = await b.serve("view", "--no-open", run("tower"));
  const p = await b.openPage(browser, server.url);
  await page.seek(p, 0.3);
  const moved = () => p.evaluate(() => {
    const { body } = window.stiffly.viewer.runs[0];
    const at = window.stiffly.viewer.stage.controls.target.clone();
    let most = 0;
    for (let i = 0; i < body.particles; i++) most = Math.max(most, body.shown(i, at).distanceTo(at.clone().set(...body.material.first.subarray(3 * i, 3 * i + 3))));
    return most;
  });
  const once = await moved();
  await p.locator("#magnification").fill("1");
  assert.ok(Math.abs((await moved()) / once - 10) < 0.01);
  await p.close();
  await server.stop();
});

test("honest about folders that are empty or broken", async () => {
  writeFileSync(join(b.folder, "no-run.txt"), "");
  const empty = await b.serve("view", "--no-open", b.folder);
  const p = await b.openPage(browser, empty.url);
  assert.match(await p.locator("#state").textContent(), /nothing to show.*no frames/);
  await p.close();
  await empty.stop();
  b.stiffly("run", "coil", "--duration", "0.02", "-o", run("broken"));
  writeFileSync(join(run("broken"), "frames.h5"), "no frames");
  const broken = await b.serve("view", "--no-open", run("broken"));
  const q = await b.openPage(browser, broken.url);
  assert.match(await q.locator("#state").textContent(), /is broken.*frames\.h5/);
  await q.close();
  await broken.stop();
});

test("a drag in the browser moves the particle of the simulation", async () => {
  const scene = join(b.folder, "pulled.toml");
  writeFileSync(scene, `[simulation]
duration = 0.43
step = 0.0037
integrator = "newmark"
gravity = [0, 0, -9.81]
[[particle]]
position = [0, 0, 0]
mass = 1
pinned = true
[[particle]]
position = [0, 0, -0.7]
mass = 1.3
[[particle]]
position = [0, 0, -1.4]
mass = 0.9
[[spring]]
ends = [0, 1]
stiffness = 3100
[[spring]]
ends = [1, 2]
stiffness = 2900
`);
  const row = (name) => readFileSync(join(run(name), "final.csv"), "utf8").trim().split("\n")[3].split(",").map(Number).slice(1, 4);
  b.stiffly("run", scene, "-o", run("alone"));
  const server = await b.serve("run", scene, "--view", "--paused", "-o", run("pulled"));
  const p = await b.openPage(browser, server.url);
  await b.until(p, () => window.stiffly.viewer.followsLive);
  await p.locator("#live-pull").check();
  const place = await p.evaluate(() => {
    const { stage, runs } = window.stiffly.viewer;
    const at = runs[0].body.shown(2, stage.controls.target.clone()).project(stage.camera);
    const box = stage.canvas.getBoundingClientRect();
    return { x: box.left + (0.5 + 0.5 * at.x) * box.width, y: box.top + (0.5 - 0.5 * at.y) * box.height };
  });
  await p.mouse.move(place.x, place.y);
  await p.mouse.down();
  assert.equal(await p.evaluate(() => window.stiffly.live.held), 2);
  await p.mouse.move(place.x + 60, place.y - 10);
  await p.waitForTimeout(50);
  await p.mouse.move(place.x + 180, place.y - 20);
  const target = await p.evaluate(() => Object.values(window.stiffly.live.target));
  await p.locator("#live-paced").evaluate((box) => box.click());
  await p.evaluate(() => window.stiffly.live.pause(false));
  await b.until(p, () => !window.stiffly.live.running);
  await p.mouse.up();
  const complaints = p.complaints.filter((text) => !text.includes("400")); // the release comes after the end
  await p.close();
  assert.equal(await server.stop(), 0);
  const alone = row("alone"), pulled = row("pulled");
  const towards = target.map((t, k) => t - alone[k]);
  const went = pulled.map((x, k) => x - alone[k]);
  const along = towards.reduce((sum, t, k) => sum + t * went[k], 0) / Math.hypot(...towards);
  assert.ok(along > 0.05, `it went ${along} m towards the hand`);
  assert.ok(along > 0.5 * Math.hypot(...went), "and little elsewhere");
  assert.equal(JSON.parse(readFileSync(join(run("pulled"), "run.json"), "utf8")).steered, true);
  assert.deepEqual(complaints, []);
});

test("a phone: nothing is wider than the screen, settings open and close", async () => {
  const server = await b.serve("view", "--no-open", run("flag"));
  const p = await b.openPage(browser, server.url, { viewport: { width: 390, height: 780 }, colorScheme: "dark", hasTouch: true });
  assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.equal(await p.locator("#panel").isVisible(), false);
  await p.locator("#panel-toggle").click();
  assert.equal(await p.locator("#panel").isVisible(), true);
  assert.ok(b.coloured(await b.pixels(p)) > 500);
  assert.equal(await p.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.deepEqual(p.complaints, []);
  await p.close();
  await server.stop();
});

test("picture and movie are files that show the body", async (t) => {
  b.stiffly("picture", run("coil"), "--time", "0.3", "--size", "640x360");
  const early = b.decode(readFileSync(join(run("coil"), "picture.png")));
  assert.deepEqual([early.width, early.height], [640, 360]);
  assert.ok(b.coloured(early) > 1500);
  b.stiffly("picture", run("coil"), run("softer"), "--time", "0.3", "--size", "640x360", "-o", join(b.folder, "two.png"));
  const two = b.decode(readFileSync(join(b.folder, "two.png")));
  assert.ok(b.difference(early, two) > 1000);
  assert.throws(() => b.stiffly("picture", run("coil"), "--time", "9"), /frames are from/);
  assert.throws(() => b.stiffly("picture", run("coil"), "--time", "0.1", "--colour", "smell"), /no colour 'smell'/);
  try {
    b.stiffly("movie", run("coil"), "--size", "320x180", "--fps", "20");
  } catch (error) {
    if (!/apt-get install ffmpeg/.test(error.stderr)) throw error;
    t.diagnostic("movies were not tried: ffmpeg is not installed");
    return;
  }
  assert.equal(readFileSync(join(run("coil"), "movie.mp4")).toString("latin1", 4, 8), "ftyp");
  const gif = readFileSync(join(run("coil"), "movie.gif"));
  assert.equal(gif.toString("latin1", 0, 6), "GIF89a");
  assert.equal(gif.readUInt16LE(6), 320);
  assert.ok(statSync(join(run("coil"), "movie.mp4")).size > 2000);
});
