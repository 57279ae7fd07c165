import { findSourceKind, SOURCE_KINDS } from "../lib/config.ts";
import { isCalendarDate, isoDate } from "../lib/text/dates.ts";
import { importLocation } from "../lib/import/import_snapshot.ts";
import { showLocation } from "../lib/import/sources/location.ts";
import { systemClock } from "../lib/system_clock.ts";
import { type Command, parseWords, UsageError, withDatabase } from "./command.ts";
import { startProgress } from "./progress.ts";
import { tellAtOnce } from "../lib/delivery/tell_at_once.ts";
import { countOf } from "../lib/text/count_of.ts";

const USAGE =
  "deno task import FILE-OR-URL [--as-of YYYY-MM-DD] [--partial] [--allow-mass-removal] [--source KIND]";

/** `deno task import`: takes one snapshot of a roadmap. */
export const run: Command = async (args, config) => {
  const { values, positionals: [location] } = parseWords(args, {
    source: { type: "string" },
    "as-of": { type: "string" },
    partial: { type: "boolean" },
    "allow-mass-removal": { type: "boolean" },
  }, { usage: USAGE, words: [1, 1] });
  const asOf = values["as-of"] ?? isoDate(systemClock());
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
        onChange: tellAtOnce(config, systemClock),
        onProgress: ({ items, share }) =>
          bar.show(share ?? 0, `${share === 1 ? "Comparing" : "Read"} ${countOf(items, "item")}`),
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
