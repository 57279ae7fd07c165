/**
 * Writes the tables of docs/settings.md:
 *
 *     deno run -RW tools/settings_table.ts
 */
import { GROUPS } from "../lib/config/settings.ts";

const DOCUMENT = new URL("../docs/settings.md", import.meta.url);
/** The tables come last, each below a heading. */
const FIRST_TABLE = /^## .*\n\n\| setting /m;

if (import.meta.main) await Deno.writeTextFile(DOCUMENT, await renewSettings());

/** The document of the settings as it should be. */
export async function renewSettings(): Promise<string> {
  const text = await Deno.readTextFile(DOCUMENT);
  const tables = Object.entries(GROUPS).map(([title, group]) =>
    `## ${title}\n\n${
      formatTable([
        ["setting", "meaning", "default"],
        ...Object.entries(group).map((
          [name, { meaning, unset }],
        ) => [`\`${name}\``, meaning, unset]),
      ])
    }`
  );
  return text.slice(0, FIRST_TABLE.exec(text)!.index) + tables.join("\n");
}

/** Columns are as wide as their longest cell, as `deno fmt` has them. */
function formatTable([head, ...rows]: readonly (readonly string[])[]): string {
  const widths = head!.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]!.length))
  );
  const format = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, filler)).join(" | ")} |\n`;
  return format(head!) + format(head!.map(() => ""), "-") + rows.map((row) => format(row)).join("");
}
