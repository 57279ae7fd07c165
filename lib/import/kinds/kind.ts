import type { Config } from "../../config/config.ts";
import type { SourceKind } from "../../config/source_kinds.ts";
import { parseReleaseDate } from "../../text/dates.ts";
import { asObject } from "../../text/values.ts";
import { decodeText } from "../fetching/decode_text.ts";
import type { Mapping } from "../mapping/fields.ts";
import type { Table } from "../mapping/table.ts";
import { SnapshotError } from "../snapshot_error.ts";
import type { JsonApi, RequestBody } from "./json_api.ts";

/** By so many characters a kind of source, and the separator of a table, are recognised. */
export const BEGINNING = 64_000;
/** More than any roadmap has. */
export const MAX_ROWS = 100_000;

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** A document of a source: a file, or what an address answered. */
export interface Document {
  /** How messages name it. */
  readonly shown: string;
  /** The file, or the address after redirects. */
  readonly address: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string | null;
  readonly charset: string | null;
  readonly link: string | null;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a kind of source asks for. */
export interface DocumentRequest {
  /** Of a page after the first one it may be relative to the document that named it. */
  address: string;
  /** The address of the document that named this one; absent: it is the first one. */
  base?: string;
  /** Absent: a GET. */
  request?: RequestBody | null;
  /** The statuses by which a server says that it has no such address. */
  absentAt?: readonly number[];
}

/** Opens a document; null if it is absent by one of the statuses of the question. */
export type Open = (question: DocumentRequest) => Promise<Document | null>;

/** Where the APIs of trackers are, without tokens. */
export type KindSettings = {
  github: Pick<Config["github"], "apiUrl">;
  gitlab: Pick<Config["gitlab"], "url">;
};

/** Settings that a kind of source may need for its requests. */
export type SourceSettings = Pick<Config, "github" | "gitlab" | "jira">;

/** What a kind of source reads, and how. */
export interface SourceToRead {
  readonly location: string;
  readonly open: Open;
  /** The document that was opened already, to recognise the kind. */
  readonly first?: Document;
  readonly sheet?: string;
  /** Of a workbook: its hidden rows and columns are read, too. */
  readonly keepsHidden?: boolean;
  readonly encoding?: string;
  readonly api?: JsonApi;
  /** The columns that the mapping names. */
  readonly columns: readonly string[];
  readonly settings: KindSettings;
  readonly asOf: string;
  readonly onlyFirstPage?: boolean;
  /** Renames the fields of each row as its page is read: a row may hold much that no item keeps. */
  readonly toItem?: (row: unknown) => unknown;
}

/** The beginning of a document, by which its kind is recognised. */
export interface Beginning {
  readonly location: string;
  readonly contentType: string | null;
  /** The file extension, in lower case: `json`, `csv`; may be empty. */
  readonly extension: string;
  readonly text: string;
}

/** What a page says of those after it: a total that may be above its items, or that there are some. */
export interface SignOfMore {
  /** As it stands there: `"isLast": false`. */
  readonly shown: string;
  /** Null where there is more in any case. */
  readonly total: number | null;
}

/** How a kind of source is signed in to, by settings. */
interface SignIn {
  readonly variables: string;
  /** The address that the token was given for: only its origin gets the headers; null: none. */
  at(settings: SourceSettings): string | null;
  headers(settings: SourceSettings): Record<string, string>;
}

/** One kind of source: how it is recognised and read, and how its fields are mapped. */
export interface Kind {
  readonly kind: SourceKind;
  readonly title: string;
  /** How its locations are written, if that is no address and no file; `parse` knows no other. */
  readonly form?: { readonly written: string; parse(location: string): object | null };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signIn?: SignIn;
  /** Where its fields come from, unless a mapping says otherwise. */
  readonly fields?: Mapping;
  /** It has some of its items only: those that it lacks stay as they are. */
  readonly keepsMissing?: boolean;
  /** Its `last_modified` also moves without a change of the item, for example with a comment. */
  readonly lastModifiedIncludesComments?: boolean;
  /** Recognises such a source by its start; absent: it has to be named. */
  recognises?(beginning: Beginning): boolean;
  /**
   * Reads all rows.
   *
   * @throws {SnapshotError} that names the document and says why it cannot be read
   */
  read(source: SourceToRead): Promise<Table>;
  /**
   * Renames the fields of an item to those of the interface specification (2.1); they are validated
   * later. Absent: matched by the mapping and by their names.
   */
  readonly toItem?: (value: unknown) => unknown;
}

/** The first document of a source, which is its location unless that is an abbreviation. */
export async function openFirst(
  { first, open, location }: SourceToRead,
  address = location,
): Promise<Document> {
  return first ?? (await open({ address }))!;
}

/** The text of a document. */
export function readText(document: Document, { encoding }: Pick<SourceToRead, "encoding">): string {
  return decodeText(document, encoding);
}

/** An error about a document. */
export function refuse({ shown }: Pick<Document, "shown">, reason: string): SnapshotError {
  return new SnapshotError(`Cannot read ${shown}: ${reason}`);
}

/**
 * Whether a JSON text has a key; the words of a value never count as one.
 *
 * ```ts
 * if (!hasKey('[{"id" : 1}]', "id")) throw new Error();
 * if (hasKey('["\\"id\\": 1"]', "id")) throw new Error();
 * ```
 */
export function hasKey(text: string, key: string): boolean {
  return new RegExp(`"${key}"\\s*:`).test(text);
}

/** The names of labels, which are objects with a name, or the names themselves. */
export function labelsOf(labels: unknown): unknown[] {
  return Array.isArray(labels) ? labels.map((label) => asObject(label)?.name ?? label) : [];
}

/**
 * The date in the title of a milestone or version; null if there is none.
 *
 * ```ts
 * if (dateInTitle("Q3 2026 – Beta") !== "2026-09-30") throw new Error();
 * if (dateInTitle("2026-09-30") !== "2026-09-30" || dateInTitle("10.0") !== null) throw new Error();
 * ```
 */
export function dateInTitle(title: string): string | null {
  const [, quarter, year] = /\bQ([1-4])\W*(\d{4})\b/i.exec(title) ?? [];
  return parseReleaseDate(quarter ? `Q${quarter} ${year}` : title.trim());
}
