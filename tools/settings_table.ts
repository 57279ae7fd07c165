/**
 * Writes the table of settings into the README:
 *
 *     deno run -RW tools/settings_table.ts
 */
import { describeSettings } from "../lib/config.ts";

const README = new URL("../README.md", import.meta.url);
/** The table with the heading of its first column. */
const TABLE = /^\| setting .*\n(?:\|.*\n)+/m;

if (import.meta.main) await Deno.writeTextFile(README, await renewReadme());

/** The README as it should be. */
export async function renewReadme(): Promise<string> {
  const text = await Deno.readTextFile(README);
  if (!TABLE.test(text)) throw new Error("README.md has no table with the heading | setting");
  return text.replace(TABLE, () => formatTable());
}

/** Columns are as wide as their longest cell, as `deno fmt` has them. */
function formatTable(): string {
  const rows = [
    ["setting", "meaning", "default"],
    ...describeSettings().map(({ name, meaning, unset }) => [`\`${name}\``, meaning, unset]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const format = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, filler)).join(" | ")} |\n`;
  return format(rows[0]!) + format(["", "", ""], "-") +
    rows.slice(1).map((row) => format(row)).join("");
}
