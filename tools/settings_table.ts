/**
 * Writes the tables of docs/settings.md:
 *
 *     deno run -RW tools/settings_table.ts
 */
import { describeSettings } from "../lib/config/settings.ts";
import type { SETTING_NAMES } from "../lib/config/setting_names.ts";

type Name = (typeof SETTING_NAMES)[number];

/** Those that a public site needs, and those for experts; all others are common. */
const NEEDED: readonly Name[] = [
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
const FOR_EXPERTS: readonly Name[] = [
  "GITHUB_API_URL",
  "GITLAB_URL",
  "EMBEDDING_DIMENSIONS",
  "SEMANTIC_MIN_SIMILARITY",
  "QUESTION_LIMIT",
  "QUESTION_BUDGET",
  "VERIFICATION_LIMIT",
  "PROXY_STRIPS_PATH",
  "BACKGROUND_JOBS",
  "WEBHOOK_ALLOW_PRIVATE",
  "CACHE_FRESH_SECONDS",
  "CACHE_STALE_SECONDS",
  "CACHE_DATABASE_MB",
  "CACHE_MEMORY_MB",
];

const DOCUMENT = new URL("../docs/settings.md", import.meta.url);
/** A table with the heading of its first column. */
const TABLE = /^\| setting .*\n(?:\|.*\n)+/gm;

if (import.meta.main) await Deno.writeTextFile(DOCUMENT, await renewSettings());

/** The document of the settings as it should be. */
export async function renewSettings(): Promise<string> {
  const text = await Deno.readTextFile(DOCUMENT);
  const all = describeSettings().map(({ name }) => name as Name);
  const common = all.filter((name) => ![...NEEDED, ...FOR_EXPERTS].includes(name));
  const groups = [NEEDED, common, FOR_EXPERTS];
  const found = text.match(TABLE)?.length ?? 0;
  if (found !== groups.length) {
    throw new Error(`docs/settings.md has ${found} tables with the heading | setting`);
  }
  return text.replaceAll(TABLE, () => formatTable(groups.shift()!));
}

/** Columns are as wide as their longest cell, as `deno fmt` has them. */
function formatTable(names: readonly Name[]): string {
  const known = new Map(describeSettings().map((setting) => [setting.name as Name, setting]));
  const rows = [
    ["setting", "meaning", "default"],
    ...names.map((name) => {
      const { meaning, unset } = known.get(name)!;
      return [`\`${name}\``, meaning, unset];
    }),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const format = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, filler)).join(" | ")} |\n`;
  return format(rows[0]!) + format(["", "", ""], "-") +
    rows.slice(1).map((row) => format(row)).join("");
}
