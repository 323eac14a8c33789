// Numbers as people read them.

/** About three digits, without a tail of zeros. */
export function short(value: number): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(1).replace(".0e", "e").replace("e+", "e") : String(Number(value.toPrecision(3)));
  return text.replace("-", "−");
}

/** A time within one of length `whole`: to the millisecond, or finer where all is short. */
export function seconds(value: number, whole: number): string {
  const digits = whole > 0 ? Math.max(3, Math.min(12, 2 - Math.floor(Math.log10(whole)))) : 3;
  return `${value.toFixed(digits)} s`;
}

export function count(value: number): string {
  return value.toLocaleString("en").replaceAll(",", "\u2009");
}

export function duration(value: number): string {
  if (value < 120) return `${short(value)} s`;
  return value < 7200 ? `${(value / 60).toFixed(1)} min` : `${(value / 3600).toFixed(1)} h`;
}

export function withUnit(value: number, unit: string): string {
  return unit ? `${short(value)} ${unit}` : short(value);
}
