// Numbers as colours: one scale for quantities that begin at 0, one for those with a sign, one for what obstacles were touched.
import * as three from "three";

type Stop = [number, number, number];

// Viridis [S. van der Walt, N. Smith, 2015; CC0] at nine places.
const sequential: Stop[] = [
  [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141],
  [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37],
];
const diverging: Stop[] = [
  [33, 76, 158], [72, 130, 204], [140, 186, 228], [196, 214, 226], [214, 214, 210],
  [232, 205, 184], [232, 156, 116], [206, 92, 68], [154, 22, 42],
];

/** From obstacles as they are to what was touched for long: by the root of the share, as most places are passed over and few rested on. */
const touched = {
  light: [[185, 193, 201], [209, 168, 179], [209, 122, 148], [191, 69, 115], [148, 15, 82]] as Stop[],
  dark: [[89, 99, 110], [138, 92, 104], [190, 92, 104], [232, 120, 92], [255, 184, 92]] as Stop[],
};

export const entries = 256;

function table(stops: Stop[]): Uint8Array {
  const out = new Uint8Array(4 * entries);
  for (let i = 0; i < entries; i++) {
    const place = (i / (entries - 1)) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(place));
    for (let c = 0; c < 3; c++)
      out[4 * i + c] = Math.round(stops[k][c] + (place - k) * (stops[k + 1][c] - stops[k][c]));
    out[4 * i + 3] = 255;
  }
  return out;
}

export const sequentialTable = table(sequential);
export const divergingTable = table(diverging);
export const touchedTables = { light: table(touched.light), dark: table(touched.dark) };

export function gradient(signed: boolean, toRight = true): string {
  const stops = (signed ? diverging : sequential).map((stop) => `rgb(${stop.join(",")})`);
  return `linear-gradient(${toRight ? "to right" : "to top"}, ${stops.join(", ")})`;
}

/** Over values, as the others. */
export function touchedGradient(dark: boolean): string {
  const stops = touched[dark ? "dark" : "light"];
  return `linear-gradient(to right, ${stops.map((stop, k) => `rgb(${stop.join(",")}) ${100 * (k / (stops.length - 1)) ** 2}%`).join(", ")})`;
}

export function css(signed: boolean, share: number): string {
  return entry(signed ? divergingTable : sequentialTable, share);
}
export function touchedCss(dark: boolean, share: number): string {
  return entry(touchedTables[dark ? "dark" : "light"], Math.sqrt(share));
}

function entry(from: Uint8Array, share: number): string {
  const at = 4 * Math.round(Math.max(0, Math.min(1, share)) * (entries - 1));
  return `rgb(${from[at]},${from[at + 1]},${from[at + 2]})`;
}

/** As shaders take it. */
export function scaleOf(table: Uint8Array): three.DataTexture {
  const out = new three.DataTexture(table, entries, 1, three.RGBAFormat, three.UnsignedByteType);
  out.minFilter = out.magFilter = three.LinearFilter;
  out.needsUpdate = true;
  return out;
}
