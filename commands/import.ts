import type { Config } from "../lib/config/config.ts";
import { SOURCE_KINDS } from "../lib/config/source_kinds.ts";
import { holdsEmbedded } from "../lib/database/embedded/embedded.ts";
import { notifyWebhooks } from "../lib/delivery/webhooks/queue_webhooks.ts";
import { ExpectedError } from "../lib/expected_error.ts";
import { describeReadStatus } from "../lib/import/describe_run.ts";
import { findEncoding } from "../lib/import/fetching/decode_text.ts";
import { describeFileError, isAddress, showLocation } from "../lib/import/fetching/location.ts";
import { readFieldsFile } from "../lib/import/fetching/read_json_file.ts";
import { type ImportOptions, SOURCE_NAME_PATTERN } from "../lib/import/import_options.ts";
import { importLocation } from "../lib/import/import_snapshot.ts";
import { kindOfTracker } from "../lib/import/kinds/known_kinds.ts";
import type { ReadColumn } from "../lib/import/mapping/describe_columns.ts";
import { type Preview, previewLocation } from "../lib/import/preview_snapshot.ts";
import type { ConfiguredSource } from "../lib/import/sources/configured_source.ts";
import {
  commonOptions,
  ConfiguredSources,
  importOptions,
  readAllSources,
} from "../lib/import/sources/configured_sources.ts";
import { describeBesides, listNotes } from "../lib/import/remarks.ts";
import { describeProblem, RefusedRemovals } from "../lib/import/snapshot_error.ts";
import { isCalendarDate, isoDate } from "../lib/text/dates.ts";
import { splitLists } from "../lib/roadmap/changes/change_in_words.ts";
import type { Field } from "../lib/roadmap/item.ts";
import { countOf, quote, shorten, toLine } from "../lib/text/phrases.ts";
import { systemClock } from "../lib/work/async.ts";
import { type Command, exists, withDatabase } from "./command.ts";
import { parseChoice, parseGiven, UsageError } from "./given.ts";
import { withProgress } from "./progress.ts";

/** `deno task import`: imports one snapshot of a roadmap, or reports what that would do. */
export const run: Command = async (args, config) => {
  const { values, positionals: [location] } = parseGiven("import", args);
  const source = await findConfigured(location!, config);
  const sourceName = parseSourceName(values["source-name"]);
  if (source && sourceName !== undefined) {
    throw new UsageError(
      `"${location}" is a configured source: --source-name is for others`,
    );
  }
  const given: Partial<ImportOptions> = {
    kind: values.source === undefined ? null : parseChoice(values.source, "--source", SOURCE_KINDS),
    sheet: values.sheet,
    encoding: parseEncoding(values.encoding),
    sourceName,
    fields: values.fields === undefined ? undefined : await readFieldsFile(values.fields),
  };
  const options: ImportOptions = {
    ...source ? await importOptions(config, source) : commonOptions(config),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)),
    asOf: parseAsOf(values["as-of"]),
    partial: values.partial,
    allowMassRemoval: values["allow-mass-removal"],
    announce: values.announce,
  };
  const from = source?.from ?? location!;
  const file = values["write-fields"];
  if (!values["dry-run"] && (values.json || file !== undefined)) {
    const option = values.json ? "--json" : "--write-fields";
    throw new UsageError(`${option} goes with --dry-run`);
  }
  if (values["dry-run"]) {
    await preview(from, config, { ...options, isJson: values.json ?? false, file });
  } else await take(from, config, options);
};

async function take(location: string, config: Config, options: ImportOptions): Promise<void> {
  const started = performance.now();
  const counts = await withProgress(
    "Reading",
    (show) =>
      withDatabase(config, (database) =>
        importLocation(database, location, {
          ...options,
          onChange: notifyWebhooks(config, systemClock),
          onProgress: ({ share }) => show(share ?? 0, share === 1 ? "Comparing" : "Reading"),
        }), { migrates: "empty" }),
  ).catch((error) => {
    if (!(error instanceof RefusedRemovals)) throw error;
    const words = { allow: "--allow-mass-removal", partial: "--partial" };
    throw new ExpectedError(error.describe(words));
  });
  const { added, changed, removed, restored, unchanged } = counts;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `Imported ${showLocation(location)} as of ${options.asOf}: ${added} added, ` +
      `${changed} changed, ${removed} removed, ${restored} restored, ${unchanged} unchanged` +
      `${describeBesides(counts)} in ${seconds} s`,
  );
  for (const note of listNotes(counts.notes)) console.log(`  ${note}.`);
  if (counts.later_snapshot !== undefined) {
    console.error(
      `A snapshot as of ${counts.later_snapshot} was imported before this one as of ` +
        `${options.asOf}: the changes of this one are dated earlier than what they follow`,
    );
  }
}

async function preview(
  location: string,
  config: Config,
  { isJson, file, ...options }: ImportOptions & { isJson: boolean; file?: string },
): Promise<void> {
  const found = await withDatabase(
    config,
    (database) => previewLocation(database, location, options),
    { migrates: "empty" },
  );
  console.log(isJson ? JSON.stringify(found, null, 2) : formatPreview(found));
  if (file !== undefined) await writeMappingFile(file, found);
  const { total_problems: total } = found;
  if (total > 0) throw new ExpectedError(`${countOf(total, "problem")}: it would not be imported`);
}

async function writeMappingFile(file: string, { source, used }: Preview): Promise<void> {
  if (Object.keys(used).length === 0) {
    throw new ExpectedError(`${source} has field names of its own: there is no mapping to write`);
  }
  try {
    await Deno.writeTextFile(file, `${JSON.stringify(used, null, 2)}\n`);
  } catch (error) {
    throw new ExpectedError(`Cannot write ${file}: ${describeFileError(error)}`);
  }
}

/** A source of that name: of the configuration, or added at /admin/sources. */
async function findConfigured(name: string, config: Config): Promise<ConfiguredSource | null> {
  if (isAddress(name)) return null;
  const { configured } = (await ConfiguredSources.read(config)).find(name);
  if (configured) return configured.source;
  if (kindOfTracker(name) !== null || await exists(name)) return null;
  const hasDatabase = config.DATABASE_URL !== null || await holdsEmbedded(config.DATA_DIR);
  if (!hasDatabase) return null;
  const sources = await withDatabase(config, (database) => readAllSources(config, database));
  return sources.find(name).stored?.source ?? null;
}

function parseEncoding(text: string | undefined): string | undefined {
  if (text === undefined || findEncoding(text) !== null) return text;
  throw new UsageError(
    `--encoding takes the name of an encoding, such as gbk, not "${text}"`,
  );
}

function parseAsOf(text = isoDate(systemClock())): string {
  if (isCalendarDate(text)) return text;
  throw new UsageError(`--as-of takes a date such as 2026-01-31, not "${text}"`);
}

function parseSourceName(text: string | undefined): string | undefined {
  const name = text?.trim();
  if (name === undefined || SOURCE_NAME_PATTERN.test(name)) return name;
  throw new UsageError("--source-name takes 1 to 100 characters");
}

const WIDEST = { column: 40, item: 32, change: 60 };
const MAX_IGNORED = 30;

/** What an import would do, as lines for a person. */
function formatPreview(preview: Preview): string {
  const { source, kind, item_count, columns, items, changes, problems, used } = preview;
  const isRead = kind === null
    ? "cannot be read"
    : `read as ${kind}: ${countOf(item_count, "item")}`;
  const parts = [`${source}, ${isRead}. Nothing is stored.`];
  if (columns.length > 0) parts.push(formatColumns(columns));
  if (kind === "fabric" || kind === "m365" || kind === "azure") {
    parts.push(`Columns are those of ${kind}.`);
  }
  if (preview.statuses.length > 0) {
    const rows = preview.statuses.map((status) => {
      const { tone, reason } = describeReadStatus(status);
      return [status.status, String(status.count), tone, reason];
    });
    const head = ["Status", "Items", "Counts as", "Why"];
    parts.push(formatTable([head, ...rows], WIDEST.column));
  }
  if (items.length > 0) {
    const rows = items.map((item) => [
      item.feature_name,
      item.product_name,
      item.release_type,
      item.release_status,
      item.release_date ?? "",
      Object.entries(item.dates ?? {}).map((date) => date.join(" ")).join(", "),
    ]);
    const head = ["Name", "Product", "Type", "Status", "Date"];
    const hasDates = rows.some((row) => row.at(-1) !== "");
    if (hasDates) head.push("Other dates");
    else for (const row of rows) row.pop();
    parts.push(
      `First items as they would be stored:\n\n${formatTable([head, ...rows], WIDEST.item)}`,
    );
  }
  if (changes.length > 0) parts.push(`The first changes:\n\n${formatChanges(preview)}`);
  parts.push(...preview.notes.map((note) => `${toLine(note)}.`), formatCounts(preview));
  if (problems.length > 0) parts.push(formatProblems(preview));
  if (Object.keys(used).length > 0) {
    const mapping = JSON.stringify(used, null, 2).replaceAll("\n", "\n  ");
    parts.push(`The mapping that was used (--write-fields FILE writes it):\n\n  ${mapping}`);
  }
  return parts.join("\n\n");
}

/** Why a column was matched to its field. */
const SAID_BY = { name: "by its name", mapping: "by the mapping", default: "no column" };

function formatColumns(columns: readonly ReadColumn[]): string {
  const used = columns.filter(({ by }) => by !== null);
  const ignored = columns.filter(({ by, isDoubtful }) => by === null && !isDoubtful)
    .map(({ column }) => toLine(column!));
  const rows = used.map(({ column, field, date, by, value }) => [
    column ?? (by === "mapping" || field === "release_type" ? `"${value}"` : value!),
    field ?? `date ${quote(date!)}`,
    (column === null ? "for every item, " : "") + SAID_BY[by!],
  ]);
  const table = formatTable([["Column", "Field", ""], ...rows], WIDEST.column);
  if (ignored.length === 0) return table;
  const more = ignored.length - MAX_IGNORED;
  const names = ignored.slice(0, MAX_IGNORED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `${table}\n\nIgnored: ${names}`;
}

function formatChanges({ changes }: Preview): string {
  const rows = changes.flatMap(({ kind, feature_name, field, ...values }) => {
    if (field === null) return [[kind, feature_name, ""]];
    const parts = splitLists({ kind: "changed", field: field as Field, ...values });
    return parts.map(({ group, old_value, new_value }) => {
      const what = group === null ? field : `${field} (${group})`;
      return [kind, feature_name, `${what}: ${brief(old_value)} -> ${brief(new_value)}`];
    });
  });
  return formatTable(rows, WIDEST.change);
}

function brief(value: string | null): string {
  return shorten(toLine(value ?? "(none)"), 12);
}

function formatCounts(preview: Preview): string {
  const { counts } = preview;
  if (counts === null) return "Nothing would be stored.";
  const { added, changed, removed, restored, unchanged } = counts;
  return `${added} would be added, ${changed} changed, ${removed} removed, ${restored} restored, ` +
    `${unchanged} unchanged${describeBesides(preview)}.`;
}

function formatProblems({ problems, total_problems }: Preview): string {
  const lines = problems.map((problem) => `  ${toLine(describeProblem(problem))}`);
  const more = total_problems - problems.length;
  if (more > 0) lines.push(`  … and ${more} more`);
  return [`${countOf(total_problems, "problem")}:`, ...lines].join("\n");
}

/** Columns as wide as their content, up to a maximum. */
function formatTable(rows: readonly (readonly string[])[], widest: number): string {
  const cells = rows.map((row) => row.map((text) => shorten(toLine(text), widest)));
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()}`
    )
    .join("\n");
}
