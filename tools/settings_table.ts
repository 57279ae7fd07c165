/**
 * Writes the table of settings into the README:
 *
 *     deno run -RW tools/settings_table.ts
 */
import { describeSettings } from "../lib/config/settings.ts";
import type { SETTING_NAMES } from "../lib/config/setting_names.ts";

type Name = (typeof SETTING_NAMES)[number];

/** Shown first, and shown last; all others stand between these. */
const FIRST: readonly Name[] = [
  "BASE_URL",
  "ROADMAP_SOURCE",
  "SITE_NAME",
  "SMTP_URL",
  "MAIL_FROM",
  "DATABASE_URL",
  "DATA_DIR",
  "TRUSTED_PROXIES",
  "TOKEN_SECRET",
];
const LAST: readonly Name[] = [
  "GITHUB_API_URL",
  "GITLAB_URL",
  "EMBEDDING_DIMENSIONS",
  "SEMANTIC_MIN_SIMILARITY",
  "QUESTION_LIMIT",
  "QUESTION_BUDGET",
  "VERIFICATION_LIMIT",
  "BACKGROUND_JOBS",
  "WEBHOOK_ALLOW_PRIVATE",
  "CACHE_FRESH_SECONDS",
  "CACHE_STALE_SECONDS",
  "CACHE_DATABASE_MB",
  "CACHE_MEMORY_MB",
];

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
  const known = new Map(describeSettings().map((setting) => [setting.name as Name, setting]));
  const others = [...known.keys()].filter((name) => ![...FIRST, ...LAST].includes(name));
  const rowsOf = (names: readonly Name[]) =>
    names.map((name) => {
      const { meaning, unset } = known.get(name)!;
      return [`\`${name}\``, meaning, unset];
    });
  const rows = [
    ["setting", "meaning", "default"],
    ["**For most sites**", "", ""],
    ...rowsOf(FIRST),
    ["**As needed**", "", ""],
    ...rowsOf(others),
    ["**For experts**", "", ""],
    ...rowsOf(LAST),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const format = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, filler)).join(" | ")} |\n`;
  return format(rows[0]!) + format(["", "", ""], "-") +
    rows.slice(1).map((row) => format(row)).join("");
}
