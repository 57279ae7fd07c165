import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { AccessTokenError } from "../../http/outgoing/access_tokens.ts";
import type { ImportOptions } from "../../import/import_options.ts";
import { MAPPING } from "../../import/mapping/fields.ts";
import { type Preview, previewLocation, previewRefusal } from "../../import/preview_snapshot.ts";
import type { WrittenEntry } from "../../import/sources/configured_source.ts";
import {
  commonOptions,
  configureAdded,
  importOptions,
} from "../../import/sources/configured_sources.ts";
import { parseSource } from "../../import/sources/source_config.ts";
import { SnapshotError } from "../../import/snapshot_error.ts";
import { deliver, locationOf } from "./uploads.ts";
import type { Upload, UploadOptions } from "./uploads_sql.ts";

/** What an upload is read with. */
interface Reading {
  readonly config: Config;
  readonly database: Database;
  /** The day of the import. */
  readonly asOf: string;
  readonly signal: AbortSignal;
}

/** The entry of a source that is being added, without its name, as its page has it now. */
export function draftEntry({ entry, fields, sheet, kind }: UploadOptions): WrittenEntry {
  return {
    ...entry,
    ...kind && { kind },
    ...sheet && { sheet },
    ...Object.keys(fields).length > 0 && { fields },
  };
}

/** What an import of an upload would do. */
export async function previewUpload(upload: Upload, reading: Reading): Promise<Preview> {
  const location = locationOf(upload);
  try {
    return await previewLocation(reading.database, location, await optionsOf(upload, reading));
  } catch (error) {
    // Its token server has refused it, or a secret is missing.
    if (error instanceof SnapshotError || error instanceof AccessTokenError) {
      return previewRefusal(location, error);
    }
    throw error;
  }
}

/**
 * The options with which an upload is read.
 *
 * @throws {SnapshotError | AccessTokenError} where a source cannot be signed in to
 */
export async function optionsOf(upload: Upload, reading: Reading): Promise<ImportOptions> {
  const { config, database, asOf, signal } = reading;
  const { sourceName, fields, sheet, kind, partial, allowMassRemoval, entry, secrets = {} } =
    upload.options;
  const read = { asOf, partial, allowMassRemoval, signal };
  if (entry === undefined) {
    return {
      ...commonOptions(config),
      ...read,
      sourceName,
      fields: MAPPING.parse(fields),
      sheet,
      kind,
      delivery: deliver(database, upload),
    };
  }
  const { source, mistakes } = parseSource({ name: sourceName, ...draftEntry(upload.options) });
  if (source === null) throw new SnapshotError(mistakes.join("; "));
  const configured = configureAdded(source, secrets, config.ROADMAP_SYNC_MINUTES);
  return { ...await importOptions(config, configured), ...read };
}
