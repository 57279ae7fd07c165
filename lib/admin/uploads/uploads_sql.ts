import type { Connection } from "../../database/database.ts";
import type { SourceKind } from "../../config/source_kinds.ts";
import { isoTime, json, sql, timestamp } from "../../database/sql.ts";

/** How an uploaded file is read. */
export interface UploadOptions {
  sourceName: string;
  /** The mapping as a person writes it, which `--fields` takes. */
  fields: Record<string, unknown>;
  /** Of a spreadsheet; absent: the only one with a table. */
  sheet?: string;
  /** Absent: recognised by the content. */
  kind?: SourceKind;
  partial?: boolean;
  allowMassRemoval?: boolean;
  /**
   * Of a source that is added by its address: its entry, but for what is chosen above. It has no
   * file.
   */
  entry?: Record<string, unknown>;
  /** What was typed as its secrets, by the names of `env:NAME`. */
  secrets?: Readonly<Record<string, string>>;
  /** It is to change the source of its name as this version has it; absent: it is a new one. */
  version?: string;
}

/** A file that was uploaded and is not imported yet. */
export interface Upload {
  upload_id: string;
  file_name: string;
  bytes: number;
  /** ISO 8601, UTC. */
  created_at: string;
  options: UploadOptions;
}

/** Begins an upload; it is found once it is complete. */
export async function beginUpload(
  connection: Connection,
  { uploadId, fileName, options, now }: {
    uploadId: string;
    fileName: string;
    options: UploadOptions;
    now: Date;
  },
): Promise<void> {
  await connection.query(sql`
    insert into uploads (upload_id, created_at, file_name, options)
    values (${uploadId}::uuid, ${timestamp(now)}, ${fileName}, ${json(options)})
  `);
}

/** Stores the next part of a file. */
export async function storePart(
  connection: Connection,
  uploadId: string,
  { part, body }: { part: number; body: Uint8Array },
): Promise<void> {
  await connection.query(sql`
    insert into upload_parts (upload_id, part, body) values (${uploadId}::uuid, ${part}, ${body})
  `);
}

/** A part of a file; null: there are no more. */
export async function readPart(
  connection: Connection,
  uploadId: string,
  part: number,
): Promise<Uint8Array | null> {
  const [row] = await connection.query<{ body: Uint8Array }>(sql`
    select body from upload_parts where upload_id = ${uploadId}::uuid and part = ${part}
  `);
  return row?.body ?? null;
}

/** Ends an upload: all of the file is there. */
export async function completeUpload(
  connection: Connection,
  uploadId: string,
  bytes: number,
): Promise<void> {
  await connection.query(sql`
    update uploads set is_complete = true, bytes = ${bytes} where upload_id = ${uploadId}::uuid
  `);
}

/** The uploads since a moment, or one of them, newest first. */
export function readUploads(
  connection: Connection,
  { since, uploadId = null }: { since: Date; uploadId?: string | null },
): Promise<Upload[]> {
  return connection.query(sql`
    select upload_id, file_name, bytes::float8 as bytes, ${isoTime(sql`created_at`)} as created_at,
      options
    from uploads
    where is_complete and created_at >= ${timestamp(since)}
      and (${uploadId}::uuid is null or upload_id = ${uploadId}::uuid)
    order by uploads.created_at desc
  `);
}

/** Changes how a file is read. */
export async function saveOptions(
  connection: Connection,
  uploadId: string,
  options: UploadOptions,
): Promise<void> {
  await connection.query(sql`
    update uploads set options = ${json(options)}
    where upload_id = ${uploadId}::uuid
  `);
}

/** Deletes an upload. */
export async function deleteUpload(connection: Connection, uploadId: string): Promise<void> {
  await connection.query(sql`delete from uploads where upload_id = ${uploadId}::uuid`);
}

/** Deletes uploads from before a moment. */
export async function deleteUploadsBefore(connection: Connection, moment: Date): Promise<void> {
  await connection.query(
    sql`delete from uploads where created_at < ${timestamp(moment)}`,
  );
}

/** What a source keeps for its next file. */
type KeptOptions = Pick<UploadOptions, "fields" | "sheet" | "kind">;

/** How the last file of a source was read; null: none was uploaded. */
export async function readMapping(
  connection: Connection,
  sourceName: string,
): Promise<KeptOptions | null> {
  const [row] = await connection.query<{ options: KeptOptions }>(
    sql`select options from upload_mappings where source_name = ${sourceName}`,
  );
  return row?.options ?? null;
}

/** Keeps how the file of a source was read, for its next one. */
export async function keepMapping(
  connection: Connection,
  { sourceName, fields, sheet, kind }: UploadOptions,
): Promise<void> {
  await connection.query(sql`
    insert into upload_mappings (source_name, options)
    values (${sourceName}, ${json({ fields, sheet, kind })})
    on conflict (source_name) do update set options = excluded.options
  `);
}
