// The rest of the viewer in a browser: other scenes, movies.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as b from "./browser.mjs";
import { run } from "./runs.mjs";
import { playsSeeksAndColours } from "./steps.mjs";

let browser;
before(async () => (browser = await b.openBrowser()));
after(async () => browser?.close());

for (const name of ["flag", "tower"])
  test(`${name}: loads, plays, seeks, changes its colours`, () => playsSeeksAndColours(browser, name));

test("pictures of two runs, and what is refused", () => {
  b.stiffly("picture", run("coil"), "--time", "0.3", "--size", "640x360");
  b.stiffly("picture", run("coil"), run("softer"), "--time", "0.3", "--size", "640x360", "-o", join(b.folder, "two.png"));
  const [one, two] = [join(run("coil"), "picture.png"), join(b.folder, "two.png")].map((path) => b.decode(readFileSync(path)));
  assert.ok(b.difference(one, two) > 1000);
  assert.throws(() => b.stiffly("picture", run("coil"), "--time", "0.1", "--colour", "smell"), /no colour 'smell'/);
});

test("movies are files that play", (t) => {
  try {
    b.stiffly("movie", run("coil"), run("softer"), "-o", join(b.folder, "both"), "--size", "320x180", "--fps", "20");
  } catch (error) {
    if (!/apt-get install ffmpeg/.test(error.stderr)) throw error;
    t.diagnostic("movies were not tried: ffmpeg is not installed");
    return;
  }
  assert.equal(readFileSync(join(b.folder, "both.mp4")).toString("latin1", 4, 8), "ftyp");
  const gif = readFileSync(join(b.folder, "both.gif"));
  assert.equal(gif.toString("latin1", 0, 6), "GIF89a");
  assert.equal(gif.readUInt16LE(6), 320);
  assert.ok(statSync(join(b.folder, "both.mp4")).size > 2000);
});

test("pictures wait for an encoder that takes its time", (t) => {
  const path = process.env.PATH;
  const slow = join(b.folder, "slow");
  mkdirSync(slow);
  writeFileSync(join(slow, "ffmpeg"), `#!/bin/sh\nPATH='${path}'\nsleep 4\nexec ffmpeg "$@"\n`, { mode: 0o755 });
  process.env.PATH = `${slow}:${path}`;
  try {
    b.stiffly("movie", run("coil"), "-o", join(b.folder, "late"), "--size", "640x360", "--fps", "100");
  } catch (error) {
    if (!/ffmpeg: not found/.test(error.stderr)) throw error;
    t.diagnostic("this was not tried: ffmpeg is not installed");
    return;
  } finally {
    process.env.PATH = path;
  }
  assert.equal(readFileSync(join(b.folder, "late.gif")).toString("latin1", 0, 6), "GIF89a");
});
