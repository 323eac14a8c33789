// The documentation site in a browser: every page can be reached, no link leads nowhere, no picture is missing, formulas are
// formulas. node test/site.mjs FOLDER, where ./stiffly docs has put it.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import * as b from "./browser.mjs";

const root = resolve(process.argv[2]);
const browser = await b.openBrowser();
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
const seen = new Set(), queue = ["index.html"], wrong = [];
let formulas = 0;
while (queue.length) {
  const at = queue.shift();
  if (seen.has(at)) continue;
  seen.add(at);
  await page.goto(`file://${join(root, at)}`);
  const found = await page.evaluate(() => ({
    broken: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map((image) => image.src),
    links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
    formulas: document.querySelectorAll("math").length,
    raw: /\\frac|\\varphi|\$\$/.test(document.body.innerText),
    wide: document.documentElement.scrollWidth > innerWidth,
  }));
  formulas += found.formulas;
  for (const source of found.broken) wrong.push(`${at}: no picture ${source}`);
  if (found.raw) wrong.push(`${at}: a formula as it is typed`);
  if (found.wide) wrong.push(`${at}: wider than the window`);
  for (const link of found.links.filter((link) => link.startsWith("file://"))) {
    const path = decodeURI(link.replace(/[#?].*$/, "").slice("file://".length));
    if (!existsSync(path)) wrong.push(`${at}: a link to ${path}`);
    else if (path.startsWith(`${root}/`) && path.endsWith(".html") && !path.startsWith(`${root}/cpp/`)) queue.push(path.slice(root.length + 1));
  }
}
await browser.close();
const made = readdirSync(root, { recursive: true }).map(String).filter((file) => file.endsWith(".html") && !/^(cpp\/|_|genindex|search)/.test(file));
wrong.push(...made.filter((file) => !seen.has(file)).map((file) => `${file}: no page leads to it`));
assert.deepEqual(wrong, []);
assert.ok(formulas > 20 && seen.size > 20, `${formulas} formulas on ${seen.size} pages`);
console.log(`${seen.size} pages, ${formulas} formulas`);
