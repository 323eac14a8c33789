// The pictures of docs/viewer.md, drawn anew: node test/pictures.mjs [NAME...]
//
// 60 000 hairs are drawn from the folder of `stiffly run hair --set size=full …` that STIFFLY_FULL_HAIR names, where it does.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as b from "./browser.mjs";
import { run } from "./runs.mjs";

const out = join(dirname(fileURLToPath(import.meta.url)), "../../docs/viewer");
mkdirSync(out, { recursive: true });
const laptop = { viewport: { width: 1120, height: 700 } };
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, colorScheme: "dark", deviceScaleFactor: 1.5 };
const full = process.env.STIFFLY_FULL_HAIR;

/** name: folders, time in s, window, what else is done */
const pictures = {
  coil: [["coil"], 0.2, laptop],
  flag: [["flag"], 0.2, { ...laptop, colorScheme: "dark" }, (p) => p.selectOption("#quantity", "strain")],
  tower: [["tower"], 0.3, laptop],
  hair: [["whole_hair"], 0.75, laptop],
  two: [["coil", "softer"], 0.3, laptop],
  obstacles: [["falling"], 0.175, laptop, (p) => p.selectOption("#quantity", "contact")],
  touched: [["brush"], 0.06, laptop, (p) => p.selectOption("#quantity", "touched")],
  phone: [["coil", "softer"], 0.3, phone],
  ...(full ? { "full-hair": [[full], 0.05, { ...laptop, colorScheme: "dark" }, (p) => p.selectOption("#quantity", "plain")] } : {}),
};

const browser = await b.openBrowser();
const asked = process.argv.slice(2);
for (const [name, [folders, time, window, more]] of Object.entries(pictures)) {
  if (asked.length && !asked.includes(name)) continue;
  const server = await b.serve("view", "--no-open", ...folders.map((folder) => (folder === full ? full : run(folder))));
  const page = await b.openPage(browser, server.url, window);
  await page.evaluate((t) => window.stiffly.seek(t), time);
  await more?.(page);
  await b.pixels(page);
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(join(out, `${name}.png`));
  await page.close();
  await server.stop();
}
await browser.close();
