import type { Connection } from "../../database/database.ts";
import { refuseBody } from "../../http/requests/body.ts";
import { readParts } from "../../http/requests/multipart.ts";
import { readUpload } from "../../http/requests/upload.ts";
import { Problem } from "../../http/responses/problem.ts";
import type { Delivery } from "../../import/fetching/delivery.ts";
import { DEFAULT_SOURCE, SOURCE_NAME_PATTERN } from "../../import/import_options.ts";
import { plainName } from "../../import/mapping/column_names.ts";
import type { WrittenMapping } from "../../import/mapping/describe_columns.ts";
import { DATE_FIELDS, FIELD_NAMES, type FieldName, MAPPING } from "../../import/mapping/fields.ts";
import { deleteUnusedSecrets } from "../../import/schedule/stored_sources_sql.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import { shorten } from "../../text/phrases.ts";
import { collectBytes } from "../../work/byte_streams.ts";
import * as uploads from "./uploads_sql.ts";

/** So long a file waits to be imported. */
export const KEPT_MS = 3_600_000;
const PART_BYTES = 1024 * 1024;
/** The fields of the form and the lines between them. */
const FORM_BYTES = 64 * 1024;
const MAX_FILE_NAME = 200;

interface UploadPlace {
  readonly database: Connection;
  readonly maxBytes: number;
  readonly now: Date;
  /** Refuses a name of a source that cannot be uploaded. */
  readonly checkName: (name: string) => void;
}

/**
 * Stores the file of a form while it arrives. It comes with the mapping of the last file of its
 * source.
 *
 * @throws {Problem} 400, 408, 413, 415
 */
export async function storeUpload(request: Request, place: UploadPlace): Promise<uploads.Upload> {
  const { database, maxBytes, now, checkName } = place;
  await pruneUploads(database, now);
  const { chunks } = readUpload(request, {
    types: ["multipart/form-data"],
    maxBytes: maxBytes + FORM_BYTES,
  });
  let sourceName = DEFAULT_SOURCE;
  for await (const part of readParts(request.headers.get("content-type")!, chunks)) {
    if (part.fileName === null) {
      const text = await readText(part.chunks);
      if (part.name === "source_name" && text.trim() !== "") sourceName = text.trim();
      continue;
    }
    if (!SOURCE_NAME_PATTERN.test(sourceName)) {
      throw new Problem(400, "The name of the source must have 1 to 100 characters");
    }
    checkName(sourceName);
    const mapping = await uploads.readMapping(database, sourceName);
    const options = { sourceName, fields: {}, ...mapping };
    const fileName = cleanFileName(part.fileName);
    const uploadId = crypto.randomUUID();
    await uploads.beginUpload(database, { uploadId, fileName, options, now });
    try {
      const bytes = await storeParts(part.chunks, { database, uploadId, maxBytes });
      if (bytes === 0) throw noFile();
      await uploads.completeUpload(database, uploadId, bytes);
    } catch (error) {
      await uploads.deleteUpload(database, uploadId);
      throw error;
    }
    return (await findUpload(database, uploadId, now))!;
  }
  throw noFile();
}

function noFile(): Problem {
  return new Problem(400, "Choose a file that is not empty");
}

/** Without folders and control characters. */
function cleanFileName(text: string): string {
  const name = text.replace(/^.*[/\\]/s, "").replace(/[\p{C}?#:]/gu, "_");
  return name.length <= MAX_FILE_NAME ? name : `${shorten(name, 100)}${name.slice(-60)}`;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await collectBytes(chunks, FORM_BYTES, () => {
    throw refuseBody("has too long a field before its file");
  });
  return new TextDecoder().decode(bytes);
}

/** Parts of equal size, so that neither a request nor a row is large. */
async function storeParts(
  chunks: AsyncIterable<Uint8Array>,
  { database, uploadId, maxBytes }: { database: Connection; uploadId: string; maxBytes: number },
): Promise<number> {
  let [bytes, part, filled] = [0, 0, 0];
  const piece = new Uint8Array(PART_BYTES);
  const store = () =>
    uploads.storePart(database, uploadId, { part: part++, body: piece.slice(0, filled) });
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new Problem(413, `The file must be at most ${maxBytes / 1024 / 1024} MB long`);
    }
    for (let start = 0; start < chunk.length;) {
      const some = chunk.subarray(start, start + PART_BYTES - filled);
      piece.set(some, filled);
      start += some.length;
      filled += some.length;
      if (filled < PART_BYTES) continue;
      await store();
      filled = 0;
    }
  }
  if (filled > 0) await store();
  return bytes;
}

/** An upload that is not older than an hour. */
export async function findUpload(
  database: Connection,
  uploadId: string,
  now: Date,
): Promise<uploads.Upload | null> {
  const since = new Date(now.getTime() - KEPT_MS);
  return (await uploads.readUploads(database, { since, uploadId }))[0] ?? null;
}

/** Deletes files that waited for an hour. */
export async function pruneUploads(database: Connection, now: Date): Promise<void> {
  const since = new Date(now.getTime() - KEPT_MS);
  await uploads.deleteUploadsBefore(database, since);
  await deleteUnusedSecrets(database, since);
}

/** How messages and the list of imports name an uploaded file; of a source, what it is read from. */
export function locationOf({ file_name, options }: uploads.Upload): string {
  return options.entry ? String(options.entry.from) : `uploads/${file_name}`;
}

/** Begins to add a source by its address, or to change one, and returns the id of its page. */
export async function beginDraft(
  database: Connection,
  options: uploads.UploadOptions & { entry: Record<string, unknown> },
  now: Date,
): Promise<string> {
  await pruneUploads(database, now);
  const uploadId = crypto.randomUUID();
  await uploads.beginUpload(database, { uploadId, fileName: options.sourceName, options, now });
  await uploads.completeUpload(database, uploadId, 0);
  return uploadId;
}

/** The content of an uploaded file, as a source is read from. */
export function deliver(database: Connection, upload: uploads.Upload): Delivery {
  return {
    address: locationOf(upload),
    chunks: readAll(database, upload.upload_id),
    length: upload.bytes,
    contentType: null,
    charset: null,
    next: null,
    validators: null,
  };
}

async function* readAll(database: Connection, uploadId: string): AsyncGenerator<Uint8Array> {
  for (let part = 0;; part++) {
    const body = await uploads.readPart(database, uploadId, part);
    if (body === null) return;
    yield body;
  }
}

type Rule = Record<string, unknown>;

/** Fields that may have the same value for every item. */
export const CONSTANTS: readonly string[] = ["product_name", "release_type", "release_status"];

/** What a menu of columns says besides a column, whose value is `column:` and its name. */
export const CHOICES = {
  /** The field is recognised by the name of its column. */
  byName: "",
  /** The field is not read. */
  none: "none",
  /** The rule is more than a column, and stays. */
  rule: "rule",
  /** All items have one value. */
  value: "value",
} as const;

/** The value of a column in a menu. */
export function choiceOf(column: string): string {
  return `column:${column}`;
}

/**
 * The mapping that a form chooses. A rule whose column is unchanged stays, with all that the form
 * has no place for.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export function chooseMapping(written: WrittenMapping, form: URLSearchParams): WrittenMapping {
  const mapping: WrittenMapping = { ...written };
  for (const field of FIELD_NAMES) {
    const choice = form.get(`column.${field}`);
    if (choice === null) continue;
    const rule = chooseRule(field, { before: written[field], choice, form });
    if (rule === undefined) delete mapping[field];
    else mapping[field] = rule;
  }
  if (form.has("tag_column")) {
    const tags = chooseTags(Object(written.tags) as WrittenMapping, form);
    if (Object.keys(tags).length > 0) mapping.tags = tags;
    else delete mapping.tags;
  }
  if (form.has("where_column")) {
    const where = chooseRows(written, form);
    if (where === undefined) delete mapping.where;
    else mapping.where = where;
  }
  return checkMapping(mapping);
}

/**
 * Checks a mapping.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export function checkMapping(mapping: unknown): WrittenMapping {
  const { error } = MAPPING.safeParse(mapping);
  // The database stores no such character.
  if (JSON.stringify(mapping)?.includes("\\u0000")) {
    throw new Problem(422, "This mapping cannot be used: it has the character NUL");
  }
  if (!error) return mapping as WrittenMapping;
  const mistakes = error.issues.map(({ path, message }) =>
    [...path.map(String), message].join(" ")
  );
  throw new Problem(422, `This mapping cannot be used: ${mistakes.join("; ")}`);
}

/** The rule of a field; undefined: it is recognised by its name. */
function chooseRule(
  field: FieldName,
  { before, choice, form }: { before: unknown; choice: string; form: URLSearchParams },
): unknown {
  if (choice === CHOICES.none) return null;
  if (choice === CHOICES.byName) return undefined;
  if (choice === CHOICES.value) {
    const value = form.get(`value.${field}`)?.trim();
    return value ? { value } : undefined;
  }
  const isRule = choice === CHOICES.rule;
  const column = isRule ? null : choice.slice(choiceOf("").length);
  const rule = ruleOf(before);
  const isKept = isRule || rule !== null && isOfColumn(rule, column!);
  if (isKept && rule === null) return before;
  return writeRule({
    ...isKept ? rule : { from: column },
    ...detailsIn(form, field),
  });
}

/** What the form says of how a column is read; empty fields take it away. */
function detailsIn(form: URLSearchParams, field: FieldName): Rule {
  const read = (name: string) => form.get(`${name}.${field}`);
  const [format, split, none] = [read("format"), read("split"), read("none")];
  return {
    ...format !== null && { format: format.trim() || undefined },
    ...split !== null && { split: split || undefined },
    ...none !== null && { none: splitValues(none).length > 0 ? splitValues(none) : undefined },
  };
}

/** A column by its name alone, if that is all. */
function writeRule(rule: Rule): unknown {
  const given = Object.entries(rule).filter(([, value]) => value !== undefined);
  return given.length === 1 && typeof rule.from === "string"
    ? rule.from
    : Object.fromEntries(given);
}

function chooseTags(before: WrittenMapping, form: URLSearchParams): WrittenMapping {
  const read = (name: string) => form.getAll(name);
  const [groups, columns, splits] = [read("tag_group"), read("tag_column"), read("tag_split")];
  return Object.fromEntries(columns.flatMap((choice, place) => {
    const group = groups[place] ?? "";
    if (choice === CHOICES.rule) return [[group, before[group]]];
    if (choice === CHOICES.byName) return [];
    const column = choice.slice(choiceOf("").length);
    const rule = ruleOf(before[group]);
    const split = splits[place] || undefined;
    const name = group || column.replaceAll(":", " ").trim() || "Tags";
    const isKept = rule !== null && isOfColumn(rule, column);
    return [[name, writeRule({ ...isKept ? rule : { from: column }, split })]];
  }));
}

function chooseRows(written: WrittenMapping, form: URLSearchParams): unknown {
  const column = form.get("where_column")!;
  const text = form.get("where_values") ?? "";
  const before = chosenRows(written);
  if (before?.column === column && before.values === text) return written.where;
  const values = splitValues(text);
  return column !== "" && values.length > 0 ? { [column]: values } : undefined;
}

/** A rule as an object; null: there is none. */
export function ruleOf(written: unknown): Rule | null {
  if (typeof written === "string") return { from: written };
  return typeof written === "object" ? written as Rule | null : null;
}

/** Whether a rule reads one column, and it is this one: case and signs do not matter. */
function isOfColumn({ from }: Rule, column: string): boolean {
  const plain = (name: string) => plainName(name.replace(/^fields\./, ""));
  return typeof from === "string" && (from === column || plain(from) === plain(column));
}

/** What the menu of a field shows now. */
export function currentChoice(
  field: FieldName,
  { fields, preview }: { fields: WrittenMapping; preview: Preview },
): string {
  if (fields[field] === undefined) return CHOICES.byName;
  const rule = ruleOf(fields[field]);
  if (rule === null) return CHOICES.none;
  if (CONSTANTS.includes(field) && typeof rule.value === "string") return CHOICES.value;
  const column = preview.columns.find((read) => read.field === field)?.column ?? null;
  return column !== null && isOfColumn(rule, column) ? choiceOf(column) : CHOICES.rule;
}

/** The column of a group of tags; a rule that is more than that is `CHOICES.rule`. */
export function tagChoice(written: unknown, columns: readonly string[]): string {
  const rule = ruleOf(written);
  const column = columns.find((column) => rule !== null && isOfColumn(rule, column));
  return column === undefined ? CHOICES.rule : choiceOf(column);
}

/**
 * Which rows belong to the roadmap; null: conditions that are more than some values of a column.
 */
export function chosenRows(fields: WrittenMapping): { column: string; values: string } | null {
  const conditions = Object.entries(Object(fields.where) as WrittenMapping);
  const [[column, condition] = ["", []]] = conditions;
  const values = [condition].flat();
  const isSimple = values.every((value) =>
    typeof value === "string" && value.trim() !== "" && !value.includes(",")
  );
  return conditions.length > 1 || !isSimple ? null : { column, values: values.join(", ") };
}

/** Whether a field is a date, which has a format. */
export function isDate(field: string): boolean {
  return (DATE_FIELDS as readonly string[]).includes(field);
}

function splitValues(text: string): string[] {
  return text.split(",").map((value) => value.trim()).filter((value) => value !== "");
}
