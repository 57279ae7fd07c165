/**
 * Writes the tables of docs/settings.md, and .env.example:
 *
 *     deno task generate
 */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { GROUPS } from "../lib/config/settings.ts";

const EXAMPLE = new URL("../.env.example", import.meta.url);
const DOCUMENT = new URL("../docs/settings.md", import.meta.url);
/** The tables come last, each below a heading. */
const FIRST_TABLE = /^## .*\n\n\| setting /m;

if (import.meta.main) {
  await Deno.writeTextFile(DOCUMENT, await renewSettings());
  await Deno.writeTextFile(EXAMPLE, writeExample());
}

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

/** The file `.env.example` as it should be: every setting, with its default if that is a value. */
export function writeExample(): string {
  const groups = Object.entries(GROUPS).map(([title, group]) =>
    `\n## ${title}\n` +
    Object.entries(group).map(([name, setting]) => `# ${name}=${defaultOf(setting)}\n`).join("")
  );
  return `## Copy to .env, which every task reads, and remove the "# " before a setting that you change.
## The environment wins. Put a value with a "#" into single quotes.
## docs/settings.md says what each setting means.
${groups.join("")}`;
}

/** A default as one writes it; empty: it is none that can be written. */
function defaultOf({ schema, unset }: { schema: z.ZodType; unset: string }): string {
  const written = schema.safeParse(unset);
  return written.success && isDeepStrictEqual(written.data, schema.parse(undefined)) ? unset : "";
}
