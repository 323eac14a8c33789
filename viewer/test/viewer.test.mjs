// The viewer in a real browser that nobody sees: what a user does, and what then is on the screen and in the files.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as b from "./browser.mjs";
import { pulled, run, scene } from "./runs.mjs";
import { playsSeeksAndColours, seek, watching } from "./steps.mjs";

let browser;
before(async () => (browser = await b.openBrowser()));
after(async () => browser?.close());
const look = (words, steps, options) => watching(browser, words, steps, options);

test("coil: loads, plays, seeks, changes its colours", () => playsSeeksAndColours(browser, "coil"));

test("strain, force and energy are those of the springs", () => look([run("coil")], async (p) => {
  await seek(p, 0.2);
  // All stored energy, and all energy of motion, against energy.csv.
  await p.selectOption("#quantity", "energy");
  const sum = await p.evaluate(() => window.stiffly.viewer.runs[0].body.values.reduce((a, v) => a + v, 0));
  const rows = readFileSync(join(run("coil"), "energy.csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const row = rows.find((r) => Math.abs(r[0] - 0.2) < 1e-9);
  const expected = row[1] + row[2] - row[4]; // kinetic + potential − weight
  assert.ok(Math.abs(sum - expected) < 2e-3 * expected, `${sum} J shown, ${expected} J in the file`);
}));

test("two runs side by side, in step, with their difference as colour", () => look([run("coil"), run("softer")], async (p) => {
  assert.equal(await p.evaluate(() => window.stiffly.viewer.quantity.name), "difference");
  await seek(p, 0.3);
  const apart = await p.evaluate(() => {
    const [a, c] = window.stiffly.viewer.runs;
    const [one, other] = [a, c].map((run) => run.store.get(run.frame, run.body.particles).positions);
    const last = a.body.particles - 1;
    return { value: a.body.values[last], distance: Math.hypot(one[3 * last] - other[3 * last], one[3 * last + 1] - other[3 * last + 1], one[3 * last + 2] - other[3 * last + 2]), frames: [a.frame, c.frame] };
  });
  assert.ok(apart.distance > 1e-3 && Math.abs(apart.value - apart.distance) < 1e-6);
  assert.equal(apart.frames[0], apart.frames[1]);
  const picture = await b.pixels(p);
  await seek(p, 0);
  const start = await b.pixels(p);
  assert.ok(b.difference(start, picture, { right: 0.5, top: 0.15 }) > 300, "the left one moves");
  assert.ok(b.difference(start, picture, { left: 0.5, top: 0.15, bottom: 0.75 }) > 300, "the right one moves");
}));

test("magnified motion is seen larger", () => look([run("coil")], async (p) => {
  await seek(p, 0.3);
  const moved = () => p.evaluate(() => {
    const { body } = window.stiffly.viewer.runs[0];
    const at = window.stiffly.viewer.stage.controls.target.clone();
    let most = 0;
    for (let i = 0; i < body.particles; i++) most = Math.max(most, body.shown(i, at).distanceTo(at.clone().fromArray(body.material.first.positions, 3 * i)));
    return most;
  });
  const once = await moved();
  await p.locator("#magnification").fill("1");
  assert.ok(once > 0 && Math.abs((await moved()) / once - 10) < 0.01);
}));

test("keys play, step, jump, colour, magnify, switch parts and light", () => look([run("coil")], async (p) => {
  const state = () => p.evaluate(() => {
    const { viewer } = window.stiffly;
    return { frame: viewer.runs[0].frame, playing: viewer.playing, colour: viewer.quantity.name, magnification: viewer.magnification,
      surface: viewer.runs[0].body.shows("surface"), springs: viewer.runs[0].body.shows("springs"), theme: document.documentElement.dataset.theme,
      help: document.getElementById("keys").open };
  });
  await p.locator("#canvas").focus();
  const press = async (key) => {
    await p.keyboard.press(key);
    await b.until(p, () => !window.stiffly.viewer.waiting);
    return state();
  };
  assert.equal((await press("End")).frame, 12);
  assert.equal((await press("ArrowLeft")).frame, 11);
  assert.equal((await press("Shift+ArrowLeft")).frame, 1);
  assert.equal((await press("ArrowRight")).frame, 2);
  assert.equal((await press("Home")).frame, 0);
  const first = await state();
  assert.notEqual((await press("c")).colour, first.colour);
  assert.ok((await press("+")).magnification > 1.2);
  assert.equal((await press("-")).magnification, 1);
  const surface = await b.pixels(p);
  const skeleton = await press("s").then(() => press("b"));
  assert.deepEqual([skeleton.surface, skeleton.springs], [false, true]);
  assert.ok(b.difference(surface, await b.pixels(p)) > 500, "springs look different");
  assert.notEqual((await press("t")).theme, first.theme);
  assert.equal((await press("?")).help, true);
  assert.equal((await press("Escape")).help, false);
  assert.equal((await press("Space")).playing, true);
  assert.equal((await press("Space")).playing, false);
  // Dragging turns the picture, R brings it back, and the wheel comes nearer.
  await press("Home");
  const home = await b.pixels(p);
  const box = await p.locator("#canvas").boundingBox();
  await p.mouse.move(box.x + 300, box.y + 200);
  await p.mouse.down();
  await p.mouse.move(box.x + 420, box.y + 230);
  await p.mouse.up();
  assert.ok(b.difference(home, await b.pixels(p)) > 1000, "it has turned");
  await press("r");
  assert.equal(b.difference(home, await b.pixels(p)), 0, "and is back");
  await p.mouse.wheel(0, -600);
  await b.until(p, () => window.stiffly.viewer.stage.metre() > 0);
  assert.ok(b.difference(home, await b.pixels(p)) > 1000, "and nearer");
}));

test("obstacles are drawn where they are, and what touches has a colour", () => look([run("falling")], async (p) => {
  await p.selectOption("#quantity", "contact");
  const end = await p.evaluate(() => window.stiffly.viewer.end);
  await seek(p, 0);
  const first = await b.pixels(p);
  await p.locator("#part-obstacles").uncheck();
  const bare = await b.pixels(p);
  assert.ok(b.difference(first, bare) > 5000, "obstacles are seen");
  await p.locator("#part-obstacles").check();
  await p.locator("#part-particles").uncheck();
  await p.locator("#part-springs").uncheck();
  const still = await b.pixels(p);
  await seek(p, end);
  assert.ok(b.difference(still, await b.pixels(p)) > 300, "the box has turned, the floor has risen");
  // The ball at rest on the floor is carried: by its weight, in the end, or more when it lands.
  const most = await p.evaluate(async () => {
    const { viewer } = window.stiffly;
    let most = 0;
    for (let k = 0; k < viewer.runs[0].store.count; k++) most = Math.max(most, ...(await viewer.runs[0].store.wait(k, viewer.runs[0].body.particles)).contact);
    return { most, unit: viewer.quantity.unit };
  });
  assert.ok(most.most > 0.1 * 9.81 && most.unit === "N", `${most.most} N`);
}));

test("obstacles keep the colour of what has touched them", () => look([run("falling")], async (p) => {
  await p.locator("#part-particles").uncheck();
  await p.locator("#part-springs").uncheck();
  const end = await p.evaluate(() => window.stiffly.viewer.end);
  await seek(p, end);
  await p.selectOption("#quantity", "plain");
  const plain = await b.pixels(p);
  await p.selectOption("#quantity", "touched");
  await b.until(p, () => window.stiffly.viewer.quantity.name === "touched");
  assert.equal(await p.locator("#legend-title").textContent(), "Contact so far, s");
  const beside_legend = { bottom: 0.75 };
  assert.ok(b.difference(plain, await b.pixels(p), beside_legend) > 20, "the ball has a spot");
  await seek(p, 0);
  const first = await b.pixels(p);
  await p.selectOption("#quantity", "plain");
  assert.equal(b.difference(first, await b.pixels(p), beside_legend), 0, "which it did not have at first");
  // The bead lands on the ball and stays for a while; nothing comes near the box.
  const times = await p.evaluate(async () => {
    const { store, body } = window.stiffly.viewer.runs[0];
    const { obstacle_of_point: owner } = body.material.topology;
    const sums = [];
    for (let k = 0; k < store.count; k++) {
      const of = [0, 0, 0];
      (await store.wait(k, body.particles)).contactTime.forEach((time, i) => (of[owner[i]] += time));
      sums.push(of);
    }
    return sums;
  });
  const last = times[times.length - 1];
  assert.ok(times.every(([ball], k) => k === 0 || ball >= times[k - 1][0] - 1e-6), "never less");
  assert.ok(last[0] > 0.01 && last[0] < 3 * end && last[1] === 0 && last[2] === 0, last.join(" "));
}));

test("fibres are drawn from their centre lines, on a head without colour", () => look([run("hair")], async (p) => {
  const shown = await p.evaluate(() => {
    const { body } = window.stiffly.viewer.runs[0];
    return { parts: body.parts, fibres: body.material.topology.strands.length / 2, left: window.stiffly.viewer.leftOut };
  });
  assert.ok(shown.parts.includes("fibres") && shown.parts.includes("surface"));
  assert.deepEqual([shown.fibres, shown.left], [150, ""]);
  const hair = await b.pixels(p);
  await p.locator("#part-fibres").uncheck();
  const bald = await b.pixels(p);
  assert.ok(b.difference(hair, bald) > 5000, `${b.difference(hair, bald)} pixels of hair`);
  const green = (picture) => b.counted(picture, (r, g, blue) => g > r + 25 && g > blue); // fast in the scale of speeds
  await p.locator("#part-fibres").check();
  await seek(p, await p.evaluate(() => window.stiffly.viewer.end));
  const moved = await b.pixels(p);
  assert.ok(b.difference(hair, moved) > 1000 && green(moved) > green(hair), "it moves, and has the colour of it");
}));

test("a fibre of many points is seen at each of them", () => look([run("knot")], async (p) => {
  await p.locator("#grid").uncheck();
  await seek(p, await p.evaluate(() => window.stiffly.viewer.end));
  const picture = await b.pixels(p);
  const places = await p.evaluate(() => {
    const { stage, runs: [{ body }] } = window.stiffly.viewer;
    return Array.from({ length: body.particles }, (_, i) => body.shown(i, stage.controls.target.clone()).project(stage.camera).toArray());
  });
  assert.ok(places.length > 50, `${places.length} points`);
  const background = [0, 1, 2].map((k) => picture.bytes[(picture.height - 5) * picture.width * picture.channels + k]);
  const unseen = places.filter(([x, y]) => {
    const [column, row] = [Math.floor((0.5 + 0.5 * x) * picture.width), Math.floor((0.5 - 0.5 * y) * picture.height)];
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++) {
        const at = ((row + j) * picture.width + column + i) * picture.channels;
        if (background.some((value, k) => Math.abs(picture.bytes[at + k] - value) > 60)) return false;
      }
    return true;
  });
  assert.equal(unseen.length, 0, `${unseen.length} of ${places.length} points are not on the drawn line`);
}));

test("two runs of different bodies have the colours that both know", () => look([run("falling"), run("coil")], async (p) => {
  assert.equal(await p.evaluate(() => window.stiffly.viewer.compared), false);
  assert.deepEqual(await p.evaluate(() => window.stiffly.viewer.quantities.map(({ name }) => name)), ["speed", "strain", "force", "energy", "plain"]);
  assert.deepEqual(await p.locator("#quantity option").evaluateAll((options) => options.map(({ value }) => value)), ["speed", "strain", "force", "energy", "plain"]);
}));

test("while it moves a large body is drawn of fewer triangles from fewer points, and when still of all", () => look([run("sheet")], async (p) => {
  const state = () => p.evaluate(() => {
    const { viewer } = window.stiffly;
    const { body, store } = viewer.runs[0];
    return { present: body.present, all: body.particles, note: document.getElementById("detail-note").textContent, drawn: body.leftOut, frame: store.get(0, body.present).points };
  });
  const fine = await b.pixels(p);
  const still = await state();
  assert.deepEqual([still.present, still.drawn, still.note], [still.all, undefined, ""]);
  // At a certain level of detail, as if it moved.
  await p.selectOption("#detail", "0.0625");
  const coarse = await b.pixels(p);
  const moving = await state();
  assert.ok(moving.present < still.all / 3 && moving.frame === moving.present, `${moving.present} of ${still.all} points`);
  assert.ok(moving.drawn.part === "triangles" && moving.drawn.drawn < moving.drawn.of / 3);
  assert.match(moving.note, /^drawn: [\d\s]+ of [\d\s]+ triangles$/);
  // It is the same body in the same colours.
  const seen = b.coloured(fine);
  assert.ok(seen > 20000 && Math.abs(b.coloured(coarse) - seen) < 0.05 * seen, `${seen} and ${b.coloured(coarse)} pixels`);
  assert.ok(b.difference(fine, coarse) < 0.2 * seen, `${b.difference(fine, coarse)} of ${seen} pixels differ`);
  // What is computed from neighbours is computed from all of them, whatever is drawn.
  await p.selectOption("#quantity", "strain");
  await b.pixels(p);
  assert.deepEqual(await state().then(({ present, drawn }) => [present, drawn?.part]), [still.all, "triangles"]);
  await p.selectOption("#quantity", "speed");
  // By itself: few while it moves, all as soon as it stands still, which the corner says.
  await p.selectOption("#detail", "auto");
  await p.evaluate(() => (window.stiffly.viewer.quickness.level = 5));
  await p.keyboard.press("Escape");
  await p.evaluate(() => window.stiffly.togglePlay());
  await b.until(p, () => window.stiffly.viewer.runs[0].body.present < window.stiffly.viewer.runs[0].body.particles);
  await b.until(p, () => /triangles.*all when still/.test(document.getElementById("detail-note").textContent));
  await p.evaluate(() => window.stiffly.togglePlay());
  await b.until(p, () => window.stiffly.viewer.settled);
  const again = await state();
  assert.deepEqual([again.present, again.drawn, again.note], [still.all, undefined, ""]);
}));

test("honest while loading, and about folders that are empty, broken, unfinished, interrupted and done", async () => {
  // Loading: the server's answer is held back.
  const server = await b.serve("view", "--no-open", run("coil"));
  const slow = await browser.newPage();
  let go;
  const held = new Promise((done) => (go = done));
  await slow.route("**/api/runs", async (route) => (await held, route.continue()));
  await slow.goto(server.url);
  assert.match(await slow.locator("#state").textContent(), /Loading/);
  go();
  await b.until(slow, () => window.stiffly.ready && document.getElementById("state").hidden);
  await slow.close();
  await server.stop();

  const empty = join(b.folder, "empty");
  mkdirSync(empty);
  await look([empty], async (p) => assert.match(await p.locator("#state").textContent(), /nothing to show.*no frames/));

  const copy = (name) => {
    const folder = join(b.folder, name);
    mkdirSync(folder);
    for (const file of ["run.json", "frames.h5", "energy.csv", "counters.csv"]) copyFileSync(join(run("coil"), file), join(folder, file));
    return folder;
  };
  const broken = copy("broken");
  truncateSync(join(broken, "frames.h5"), statSync(join(broken, "frames.h5")).size >> 1);
  await look([broken], async (p) => assert.match(await p.locator("#state").textContent(), /is broken.*frames\.h5/));

  // A run that is still being written becomes a finished one under the eyes of who looks.
  const growing = copy("growing");
  renameSync(join(growing, "run.json"), join(b.folder, "kept.json"));
  await look([growing], async (p) => {
    assert.equal(await p.locator(".chip").textContent(), "unfinished");
    assert.match(await p.locator("#message").textContent(), /still going on, or it was killed/);
    renameSync(join(b.folder, "kept.json"), join(growing, "run.json"));
    await b.until(p, () => document.querySelector(".chip").textContent === "done");
  });

  const report = JSON.parse(readFileSync(join(growing, "run.json"), "utf8"));
  writeFileSync(join(growing, "run.json"), JSON.stringify({ ...report, status: "interrupted" }));
  await look([growing], async (p) => {
    assert.equal(await p.locator(".chip").textContent(), "interrupted");
    assert.ok(b.coloured(await b.pixels(p)) > 1500, "what there is is shown");
  });
  rmSync(growing, { recursive: true });
});

test("a drag in the browser moves the particle of the simulation", async () => {
  const row = (name) => readFileSync(join(b.folder, name, "final.csv"), "utf8").trim().split("\n")[3].split(",").map(Number).slice(1, 4);
  run("pulled_alone");
  const server = await b.serve("run", scene("pulled", pulled), "--view", "--paused", "-o", join(b.folder, "pulled"));
  const p = await b.openPage(browser, server.url);
  await b.until(p, () => window.stiffly.viewer.followsLive);
  assert.equal(await p.locator(".chip").textContent(), "live");
  // One step, while it is paused.
  await p.locator("#live-step").click();
  await b.until(p, () => window.stiffly.viewer.time > 0.003);
  assert.ok(Math.abs((await p.evaluate(() => window.stiffly.viewer.time)) - 0.0037) < 1e-9);
  await p.locator("#live-pull").check();
  const place = await p.evaluate(() => {
    const { stage, runs } = window.stiffly.viewer;
    const at = runs[0].body.shown(runs[0].body.material.topology.numbers.indexOf(2), stage.controls.target.clone()).project(stage.camera);
    const box = stage.canvas.getBoundingClientRect();
    return { x: box.left + (0.5 + 0.5 * at.x) * box.width, y: box.top + (0.5 - 0.5 * at.y) * box.height };
  });
  await p.mouse.move(place.x, place.y);
  await p.mouse.down();
  assert.equal(await p.evaluate(() => window.stiffly.viewer.runs[0].body.material.topology.numbers[window.stiffly.live.held]), 2);
  await p.mouse.move(place.x + 180, place.y - 20);
  await b.until(p, () => window.stiffly.live.idle); // what was ordered has come to the simulation
  const target = await p.evaluate(() => Object.values(window.stiffly.live.target));
  await p.locator("#live-paced").evaluate((box) => box.click());
  await p.evaluate(() => window.stiffly.live.pause(false));
  await b.until(p, () => !window.stiffly.live.running);
  await p.mouse.up();
  await b.until(p, () => document.querySelector(".chip").textContent === "done" && window.stiffly.viewer.end > 0.4299);
  await p.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await p.locator("#time").textContent(), "0.430 s / 0.430 s");
  assert.deepEqual(p.complaints, []);
  await p.close();
  assert.equal(await server.stop(), 0);
  const alone = row("pulled_alone"), after = row("pulled");
  const towards = target.map((t, k) => t - alone[k]);
  const went = after.map((x, k) => x - alone[k]);
  const along = towards.reduce((sum, t, k) => sum + t * went[k], 0) / Math.hypot(...towards);
  assert.ok(along > 0.05, `it went ${along} m towards the hand`);
  assert.ok(along > 0.5 * Math.hypot(...went), "and little elsewhere");
  assert.equal(JSON.parse(readFileSync(join(b.folder, "pulled", "run.json"), "utf8")).steered, true);
});

test("a phone: nothing is wider than the screen or covers another thing, settings open and close", () =>
  look([run("coil"), run("softer")], async (p) => {
    assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const covered = await p.evaluate(() => {
      const boxes = [...document.querySelectorAll("#hud, #legend, #labels span")].map((e) => e.getBoundingClientRect());
      const apart = (a, c) => a.right <= c.left || c.right <= a.left || a.bottom <= c.top || c.bottom <= a.top;
      return boxes.some((a, i) => boxes.some((c, j) => i < j && !apart(a, c)));
    });
    assert.equal(covered, false);
    assert.ok(b.coloured(await b.pixels(p)) > 500);
    assert.equal(await p.locator("#panel").isVisible(), false);
    await p.locator("#panel-toggle").click();
    assert.equal(await p.locator("#panel").isVisible(), true);
    await p.locator("#picture").click({ position: { x: 30, y: 120 } });
    await b.until(p, () => getComputedStyle(document.getElementById("panel")).visibility === "hidden");
    assert.equal(await p.evaluate(() => document.documentElement.dataset.theme), "dark");
  }, { viewport: { width: 390, height: 780 }, colorScheme: "dark", hasTouch: true }));

test("a picture is a file that shows the body", () => {
  b.stiffly("picture", run("coil"), "--time", "0.3", "--size", "640x360");
  const picture = b.decode(readFileSync(join(run("coil"), "picture.png")));
  assert.deepEqual([picture.width, picture.height], [640, 360]);
  assert.ok(b.coloured(picture) > 1500);
  assert.throws(() => b.stiffly("picture", run("coil"), "--time", "9"), /frames are from/);
});
