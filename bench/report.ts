import type { Limit } from "./cases.ts";
import type { Figures, Result } from "./measure.ts";

const LIMITS: Readonly<Record<Limit, string>> = {
  bare: "a bare handler with the same bytes",
  handler: "a handler that asks for page and count",
  queries: "the same questions without HTTP",
};

/** Requests that must not take much longer with many items. */
const GROWTH = ["First page", "Filtered page", "Search, a word of 3 %", "Search, a word of 30 %"];

/** Prints what is measured, and what the columns are. */
export function printTitle(items: number, database: string): void {
  console.log(`\n${items.toLocaleString("en")} items on ${database}`);
  console.log(titles("", "ratio"));
}

/** Prints a case with its baselines below it. */
export function printResult({ name, service, limits }: Result): void {
  console.log(figures(name, service, ""));
  for (const { limit, figures: reached } of limits) {
    const ratio = (service.perSecond / reached.perSecond).toFixed(2);
    console.log(figures(`  ${LIMITS[limit]}`, reached, ratio));
  }
}

/** Prints how much longer the median response takes with many items. */
export function printGrowth(small: readonly Result[], large: readonly Result[]): void {
  const p50 = (results: readonly Result[], name: string) =>
    results.find((result) => result.name === name)?.service.p50;
  console.log("\np50 of the larger roadmap, by that of the smaller one");
  const ratios = [
    ...GROWTH.map((name) => [name, p50(large, name), p50(small, name)] as const),
    ["Page 1,500, by page 1", p50(large, "Page 1,500"), p50(large, "First page")] as const,
  ];
  for (const [name, top, bottom] of ratios) {
    if (top && bottom) console.log(`${name.padEnd(42)}${(top / bottom).toFixed(1).padStart(11)}`);
  }
}

/** A line of figures. */
export function figures(name: string, { perSecond, p50, p99 }: Figures, ratio: string): string {
  return row(name, perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2), ratio);
}

/** The line above those of figures. */
export function titles(name: string, last = ""): string {
  return row(name, "per second", "p50 ms", "p99 ms", last);
}

function row(name: string, ...columns: string[]): string {
  return name.padEnd(42) + columns.map((column) => column.padStart(11)).join("");
}
