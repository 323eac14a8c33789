// What a browser and a program have in common for tests and measurements.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

export const program = process.env.STIFFLY_PROGRAM ?? "build/release/stiffly";
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const browserPath = browsers.find((path) => existsSync(path));

export const folder = mkdtempSync(join(tmpdir(), "stiffly-viewer-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs the program to its end. */
export function stiffly(...words) {
  return execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Starts the program and waits for the address it says. */
export async function serve(...words) {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const ended = new Promise((done) => child.on("exit", done));
  const url = await new Promise((done, fail) => {
    const listen = (data) => {
      said += data;
      const found = said.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//);
      if (found) done(found[0]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    ended.then(() => fail(new Error(`no address: ${said}`)));
  });
  return {
    url, ended, process: child,
    async stop() {
      child.kill("SIGINT");
      return ended;
    },
  };
}

export async function openBrowser() {
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath: browserPath,
    args: ["--headless", "--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking"],
  });
}

/** A page that has loaded, and draws all; errors that the browser notices are collected. */
export async function openPage(browser, url, { detail = 1, ...options } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.setDefaultTimeout(0); // nothing here depends on how busy the machine is
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(error.message));
  await page.goto(url);
  await until(page, () => window.stiffly?.ready || window.stiffly?.failure || !document.getElementById("state").hidden && !document.getElementById("state").textContent.startsWith("Loading"));
  await page.evaluate((choice) => window.stiffly.viewer.setDetail(choice), detail);
  return page;
}

/** Waits until the page says so. There is no limit but that of the whole test. */
export async function until(page, predicate, argument) {
  while (!(await page.evaluate(predicate, argument))) await page.waitForTimeout(20);
}

/** The pixels of the canvas, as they are seen once nothing changes any more. */
export async function pixels(page) {
  await until(page, () => window.stiffly.viewer.settled);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return decode(await page.locator("#picture").screenshot());
}

/** A PNG of 8 bits a channel as browsers make them: [width, height, channels, bytes]. */
export function decode(png) {
  let at = 8;
  const data = [];
  let width = 0, height = 0, channels = 4;
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const kind = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR") {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      channels = body[9] === 6 ? 4 : 3;
    }
    if (kind === "IDAT") data.push(body);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const value = raw[y * (stride + 1) + 1 + x];
      const left = x >= channels ? out[y * stride + x - channels] : 0;
      const up = y > 0 ? out[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y > 0 ? out[(y - 1) * stride + x - channels] : 0;
      let add = 0;
      if (filter === 1) add = left;
      if (filter === 2) add = up;
      if (filter === 3) add = (left + up) >> 1;
      if (filter === 4) {
        const p = left + up - corner;
        const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
        add = a <= b && a <= c ? left : b <= c ? up : corner;
      }
      out[y * stride + x] = (value + add) & 255;
    }
  }
  return { width, height, channels, bytes: out };
}

/** How many pixels differ visibly between two pictures of one size, within a rectangle given in shares. */
export function difference(a, b, { left = 0, right = 1, top = 0, bottom = 1 } = {}) {
  let count = 0;
  for (let y = Math.floor(top * a.height); y < bottom * a.height; y++)
    for (let x = Math.floor(left * a.width); x < right * a.width; x++) {
      const i = (y * a.width + x) * a.channels;
      if (Math.abs(a.bytes[i] - b.bytes[i]) + Math.abs(a.bytes[i + 1] - b.bytes[i + 1]) + Math.abs(a.bytes[i + 2] - b.bytes[i + 2]) > 24) count++;
    }
  return count;
}

/** How many pixels are like this: [red, green, blue] from 0 to 255. */
export function counted(picture, like) {
  let count = 0;
  for (let i = 0; i < picture.bytes.length; i += picture.channels)
    if (like(picture.bytes[i], picture.bytes[i + 1], picture.bytes[i + 2])) count++;
  return count;
}

/** Pixels that are coloured rather than grey: those of the body. */
export const coloured = (picture) => counted(picture, (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 40);
