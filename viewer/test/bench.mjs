// How soon the first picture is there, and how many follow each other while it plays and while it is turned. Prints one
// JSON object a line, with how busy the machine was: on a machine that others use the figures are those of what is left.
//
//   STIFFLY_PROGRAM=build/release/stiffly npm run bench [-- NAME...]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import * as b from "./browser.mjs";

const size = { width: 1280, height: 720 };
const settle = 8000, span = 5000; // ms: until the detail has been chosen, and over which pictures are counted

/** Memory of a process, MB: now, and at most so far. */
function memory(pid) {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (key) => Math.round(Number(text.match(new RegExp(`${key}:\\s+(\\d+)`))?.[1] ?? 0) / 1024);
  return { now: of("VmRSS"), most: of("VmHWM") };
}

/** Pictures a second, and what was left out of them. */
const rate = (page) => page.evaluate((span) => new Promise((done) => {
  const { viewer } = window.stiffly;
  const draw = viewer.stage.draw;
  let pictures = 0;
  viewer.stage.draw = function () {
    pictures++;
    draw.call(this);
  };
  const start = performance.now();
  setTimeout(() => {
    viewer.stage.draw = draw;
    done({ pictures_per_second: Math.round((10000 * pictures) / (performance.now() - start)) / 10, detail: viewer.leftOut || "all" });
  }, span);
}), span);

/** Processor time of all that this program has started but the server, s: of the browser. */
function browserSeconds(server) {
  const parents = new Map(), seconds = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      parents.set(pid, fields[1]);
      seconds.set(pid, (Number(fields[11]) + Number(fields[12])) / 100);
    } catch {} // it has just ended
  }
  const ours = (pid) => pid && pid !== String(server) && (pid === String(process.pid) || ours(parents.get(pid)));
  return [...seconds].reduce((sum, [pid, spent]) => sum + (pid !== String(process.pid) && ours(pid) ? spent : 0), 0);
}

/** Processor time of a picture with a frame of its own at each level of detail, s: what a busy machine does not change. */
async function costs(page, server) {
  const out = [];
  await page.evaluate(() => (window.stiffly.viewer.tick = () => undefined)); // nothing is drawn but what is measured
  const count = 6;
  for (let level = 0; level < 6; level++) {
    await page.evaluate(async ([level, count]) => { // with the frames there
      const { viewer } = window.stiffly;
      viewer.quickness.level = level;
      viewer.applyDetail(false);
      for (const run of viewer.runs) for (let k = 0; k < count; k++) await run.store.wait(k, viewer.points(run));
    }, [level, count]);
    const draw = (pictures) => page.evaluate((pictures) => {
      const { viewer } = window.stiffly;
      const gl = viewer.stage.renderer.getContext();
      const pixel = new Uint8Array(4);
      const [run] = viewer.runs;
      for (let k = 0; k < pictures; k++) {
        run.body.set(run.store.get(k, viewer.points(run)), viewer.quantity);
        viewer.stage.draw();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // it is there, not only ordered
      }
    }, pictures);
    const spent = async (pictures) => {
      const before = browserSeconds(server);
      await draw(pictures);
      return Math.round((1000 * (browserSeconds(server) - before)) / pictures) / 1000;
    };
    const first = await spent(1);
    out.push(first > 1 ? first : await spent(count));
  }
  await page.evaluate(() => delete window.stiffly.viewer.tick);
  return out;
}

async function measure(name, words) {
  const out = process.env.STIFFLY_BENCH_RUNS ? join(process.env.STIFFLY_BENCH_RUNS, name) : join(b.folder, name);
  if (!existsSync(out)) b.stiffly("run", ...words, "-o", out);
  const run = JSON.parse(readFileSync(join(out, "run.json"), "utf8"));
  const server = await b.serve("view", "--no-open", out);
  const browser = await b.openBrowser();
  const warm = await browser.newPage({ viewport: size }); // a browser that is open already
  await warm.goto("about:blank");
  const begin = Date.now(), idle = browserSeconds(server.process.pid);
  const page = await b.openPage(browser, server.url, { viewport: size, detail: "auto" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const first = (await page.evaluate(() => performance.timeOrigin + performance.getEntriesByName("first picture")[0].startTime) - begin) / 1000, firstSeconds = browserSeconds(server.process.pid) - idle;
  const picture_processor_seconds = await costs(page, server.process.pid);
  await page.evaluate(() => { // every picture has a frame of its own
    const { viewer } = window.stiffly;
    viewer.speed = (25 * (viewer.end - viewer.start)) / (viewer.runs[0].store.count - 1);
    window.stiffly.togglePlay();
  });
  await page.waitForTimeout(settle);
  const playing = await rate(page);
  await page.evaluate(() => {
    const { viewer } = window.stiffly;
    viewer.playing = false;
    const axis = viewer.stage.camera.up;
    const turn = () => {
      const { camera, controls } = viewer.stage;
      camera.position.sub(controls.target).applyAxisAngle(axis, 0.01).add(controls.target);
      controls.update();
      requestAnimationFrame(turn);
    };
    turn();
  });
  await page.waitForTimeout(settle);
  const turned = await rate(page);
  const used = await page.evaluate(() => ({
    frames_mb: Math.round(window.stiffly.viewer.bytes / 2 ** 20), page_mb: Math.round(performance.memory.usedJSHeapSize / 2 ** 20),
  }));
  console.log(JSON.stringify({
    name, unknowns: run.unknowns, frames: run.frames.count, first_picture_seconds: Math.round(100 * first) / 100, first_picture_processor_seconds: Math.round(100 * firstSeconds) / 100, picture_processor_seconds, playing, turned, ...used,
    server_mb: memory(server.process.pid).most, cores: cpus().length, load: loadavg()[0],
  }));
  await browser.close();
  await server.stop();
}

const runs = {
  coil: ["coil", "--set", "size=full", "--duration", "0.3", "--step", "0.03", "--frames", "1000", "--integrator", "newmark"],
  "large coil": ["coil", "--set", "size=full", "--set", "sections=8800", "--duration", "3e-5", "--step", "1e-6", "--frames", "1000000", "--integrator", "verlet"],
  rods: ["tower", "--set", "segments=5", "--duration", "3e-5", "--step", "1e-6", "--frames", "1000000", "--integrator", "verlet"],
  hair: ["hair", "--set", "size=full", "--duration", "0.03", "--step", "0.03", "--frames", "300"], // one step: the rest is drawing
};
const asked = process.argv.slice(2);
for (const [name, words] of Object.entries(runs)) if (!asked.length || asked.includes(name)) await measure(name, words);
