import { describeLeftOut, describeStatus } from "../lib/import/describe_run.ts";
import type { ReadColumn } from "../lib/import/mapping/describe_columns.ts";
import type { Preview } from "../lib/import/preview_snapshot.ts";
import { describeProblem } from "../lib/import/snapshot_error.ts";
import { countOf, shorten, toLine } from "../lib/text/phrases.ts";

/** Table cells are cut at this many characters. */
const WIDEST = { column: 40, item: 32, change: 60 };
/** At most this many ignored columns are named. */
const MAX_IGNORED = 30;

/** What an import would do, as lines for a person. */
export function formatPreview(preview: Preview): string {
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
      const { tone, reason } = describeStatus(status);
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
    ]);
    const head = ["Name", "Product", "Type", "Status", "Date"];
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
  const used = columns.filter(({ field }) => field !== null);
  const ignored = columns.filter(({ field, isDoubtful }) => field === null && !isDoubtful).map((
    { column },
  ) => toLine(column!));
  const rows = used.map(({ column, field, by, value }) => [
    column ?? (by === "mapping" || field === "release_type" ? `"${value}"` : value!),
    field!,
    (column === null ? "for every item, " : "") + SAID_BY[by!],
  ]);
  const table = formatTable([["Column", "Field", ""], ...rows], WIDEST.column);
  if (ignored.length === 0) return table;
  const more = ignored.length - MAX_IGNORED;
  const names = ignored.slice(0, MAX_IGNORED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `${table}\n\nIgnored: ${names}`;
}

function formatChanges({ changes }: Preview): string {
  const rows = changes.map(({ kind, feature_name, field, old_value, new_value }) => [
    kind,
    feature_name,
    field ? `${field}: ${brief(old_value)} -> ${brief(new_value)}` : "",
  ]);
  return formatTable(rows, WIDEST.change);
}

function brief(value: string | null): string {
  return shorten(toLine(value ?? "(none)"), 12);
}

function formatCounts(preview: Preview): string {
  const { counts, repaired = 0 } = preview;
  if (counts === null) return "Nothing would be stored.";
  const { added, changed, removed, restored, unchanged } = counts;
  const more = describeLeftOut(preview) +
    (repaired > 0 ? `, ${countOf(repaired, "place")} of its JSON repaired` : "");
  return `${added} would be added, ${changed} changed, ${removed} removed, ${restored} restored, ` +
    `${unchanged} unchanged${more}.`;
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
