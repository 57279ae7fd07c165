import type { Connection, Database } from "../database/database.ts";
import { raiseDataVersion, readDataVersion } from "../database/data_version.ts";
import { removeIdleSchedule } from "../database/leases.ts";
import { ExpectedError } from "../expected_error.ts";
import { storeBesideReaders } from "./apply_plan.ts";
import * as runs from "./import_runs_sql.ts";
import { readStoredItems } from "./apply_sql.ts";
import { forgetPrepared, movePrepared, prepareRemovals } from "./prepared_sql.ts";
import { forgetPages } from "./source_pages_sql.ts";
import { forgetAnnouncements } from "./announcements/announcements_sql.ts";
import { readSourceStates, scheduleOf } from "./sources/source_states_sql.ts";
import { deleteSource, listStoredSources } from "./sources/stored_sources_sql.ts";

/** The items of a source cannot be removed; the message says why. */
export class SourceRemovalError extends ExpectedError {}

/** A source cannot be removed as it is now: it is imported, or the configuration has it. */
export class SourceConflict extends SourceRemovalError {}

/**
 * Removes a source as an operator means it: the one that was added beside one of the configuration,
 * whose items these are, or its active items with it. Returns their number; null: none were its own.
 *
 * @throws {SourceRemovalError} if it is of the configuration alone, there is none, or it is imported
 */
export async function removeListed(
  database: Database,
  name: string,
  { configured, stored, asOf }: {
    configured: { readonly setIn: string } | null;
    stored: unknown;
    asOf: string;
  },
): Promise<number | null> {
  if (configured === null) return await removeSource(database, name, asOf);
  if (!stored) {
    throw new SourceConflict(
      `The source "${name}" is imported on a schedule: remove it from ${configured.setIn} first`,
    );
  }
  await deleteSource(database, name);
  await raiseDataVersion(database);
  return null;
}

/**
 * Removes every active item of a source, as a snapshot without them would, and returns their
 * number. Their history stays, and another source may restore them. A source that an operator added
 * is removed as well, with its secrets.
 *
 * @throws {SourceRemovalError} if there is no such source, or it is imported now
 */
export async function removeSource(
  database: Database,
  name: string,
  asOf: string,
): Promise<number> {
  await requireKnown(database, name);
  const kind = "removal" as const;
  const run = { kind, source: "(removed)", sourceName: name, asOf, partial: false };
  const runId = await runs.startRun(database, run);
  try {
    return await storeBesideReaders(database, runId, {
      async prepare(connection) {
        const version = await readDataVersion(connection);
        const ids = (await readStoredItems(connection, name)).map(({ id }) => id);
        return { ids, version, rows: await prepareRemovals(connection, runId, { ids, asOf }) };
      },
      async store(connection, { ids }) {
        await requireIdle(connection, name);
        await movePrepared(connection, runId);
        await forgetPrepared(connection, { of: runId });
        const counts = { added: 0, changed: 0, removed: ids.length, restored: 0, unchanged: 0 };
        await runs.finishRun(connection, runId, counts);
        await deleteSource(connection, name);
        await forgetPages(connection, name);
        await forgetAnnouncements(connection, name);
        await raiseDataVersion(connection);
        return ids.length;
      },
    });
  } catch (error) {
    await forgetPrepared(database, { of: runId }).catch(() => {});
    await runs.forgetRun(database, runId).catch(() => {});
    throw error;
  }
}

async function requireKnown(connection: Connection, name: string): Promise<void> {
  const stored = await listStoredSources(connection);
  const states = await readSourceStates(connection, []);
  if ([...stored, ...states].some((source) => source.name === name)) return;
  const known = states.map((state) => `"${state.name}"`).join(", ") || "none";
  throw new SourceRemovalError(
    `There is no source "${name}" with active items; sources with active items: ${known}`,
  );
}

async function requireIdle(connection: Connection, name: string): Promise<void> {
  if (await removeIdleSchedule(connection, scheduleOf(name))) return;
  throw new SourceConflict(`The source "${name}" is being imported: try again when that is done`);
}
