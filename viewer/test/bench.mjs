// How soon the first picture is there, and how many follow each other a second. Prints one JSON object a line.
//
//   STIFFLY_PROGRAM=build/release/stiffly npm run bench
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import * as b from "./browser.mjs";

const size = { width: 1280, height: 720 };

/** Memory of all processes of the browser and of the program that serves it, MB. */
function resident(pid) {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(text.match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1024);
}

async function measure(name, words) {
  const out = join(b.folder, name);
  b.stiffly("run", ...words, "-o", out);
  const run = JSON.parse(readFileSync(join(out, "run.json"), "utf8"));
  const server = await b.serve("view", "--no-open", out);
  const browser = await b.openBrowser();
  const warm = await browser.newPage({ viewport: size }); // a browser that is open already
  await warm.goto("about:blank");
  const begin = Date.now();
  const page = await b.openPage(browser, server.url, { viewport: size });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const first = (Date.now() - begin) / 1000;
  // Pictures while it plays, each with a frame of its own where there is one; detail settles first.
  await page.evaluate(() => (window.stiffly.viewer.speed = 1, window.stiffly.togglePlay()));
  await page.waitForTimeout(6000);
  const playing = await page.evaluate(() => new Promise((done) => {
    const { viewer } = window.stiffly;
    const draw = viewer.stage.draw.bind(viewer.stage);
    let pictures = 0;
    viewer.stage.draw = () => (pictures++, draw());
    const start = performance.now();
    setTimeout(() => done({
      pictures_per_second: (1000 * pictures) / (performance.now() - start), detail: viewer.leftOut || "all",
      frame_megabytes: viewer.bytes / 2 ** 20, heap_megabytes: performance.memory.usedJSHeapSize / 2 ** 20,
    }), 5000);
  }));
  console.log(JSON.stringify({
    name, unknowns: run.unknowns, frames: run.frames.count, first_picture_seconds: first, ...playing,
    server_megabytes: resident(server.process.pid), cores: cpus().length, load: loadavg()[0],
  }));
  await browser.close();
  await server.stop();
}

await measure("coil", ["coil", "--set", "size=full", "--duration", "0.3", "--step", "0.03", "--frames", "1000", "--integrator", "newmark"]);
await measure("large coil", ["coil", "--set", "size=full", "--set", "sections=7900", "--duration", "0.02", "--step", "0.01", "--frames", "1000", "--integrator", "verlet"]);
