import { findSourceKind, SOURCE_KINDS } from "../lib/config.ts";
import { isCalendarDate, isoDate } from "../lib/text/dates.ts";
import { importLocation } from "../lib/import/import_snapshot.ts";
import { showLocation } from "../lib/import/sources/location.ts";
import { type Command, parseWords, UsageError, withDatabase } from "./command.ts";
import type { Help } from "./help.ts";
import { startProgress } from "./progress.ts";

const USAGE =
  "deno task import FILE-OR-URL [--as-of YYYY-MM-DD] [--partial] [--allow-mass-removal] [--source KIND]";

/** What `--help` tells. */
export const help: Help = {
  summary: "Reads one full snapshot of a roadmap from a file or an address",
  usage: USAGE,
  words: {
    "FILE-OR-URL":
      "JSON, NDJSON or CSV, another Roadcast, the Microsoft Fabric or the Microsoft 365 roadmap",
    "--as-of YYYY-MM-DD": "the day that changes count for where the source gives none (today)",
    "--partial": "the snapshot is not whole: items that it misses stay as they are",
    "--allow-mass-removal": "take it even if it is empty or removes more than half",
    "--source KIND": `one of ${SOURCE_KINDS.join(", ")}; recognised if absent`,
  },
};

/** `deno task import`: takes one snapshot of a roadmap. */
export const run: Command = async (args, config) => {
  const { values, positionals: [location] } = parseWords(args, {
    source: { type: "string" },
    "as-of": { type: "string" },
    partial: { type: "boolean" },
    "allow-mass-removal": { type: "boolean" },
  }, { usage: USAGE, words: [1, 1] });
  const asOf = values["as-of"] ?? isoDate(new Date());
  if (!isCalendarDate(asOf)) {
    throw new UsageError(`--as-of takes a day such as 2026-01-31, not "${asOf}". Usage: ${USAGE}`);
  }
  const kind = findSourceKind(values.source ?? "") ?? null;
  if (values.source !== undefined && kind === null) {
    const kinds = SOURCE_KINDS.join(", ");
    throw new UsageError(`--source takes ${kinds}, not "${values.source}". Usage: ${USAGE}`);
  }
  const started = performance.now();
  const bar = await startProgress("Reading");
  try {
    const counts = await withDatabase(config, (database) =>
      importLocation(database, location!, {
        asOf,
        kind,
        maxBytes: config.sourceMaxBytes,
        partial: values.partial,
        allowMassRemoval: values["allow-mass-removal"],
        onProgress: ({ items, share }) =>
          bar.show(share ?? 0, share === 1 ? `Comparing ${items} items` : `Read ${items} items`),
      }), { migrates: "empty" });
    bar.stop();
    const { added, changed, removed, restored, unchanged } = counts;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `Imported ${showLocation(location!)} as of ${asOf}: ${added} added, ${changed} changed, ` +
        `${removed} removed, ${restored} restored, ${unchanged} unchanged in ${seconds} s`,
    );
  } catch (error) {
    bar.stop();
    throw error;
  }
};
