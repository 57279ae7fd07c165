import { asObject } from "../../text/values.ts";
import { isAddress } from "../fetching/location.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { followPages } from "./follow_pages.ts";
import { jsonPage } from "./json.ts";
import {
  type Document,
  hasKey,
  type Kind,
  openFirst,
  readText,
  refuse,
  type SourceToRead,
} from "./kind.ts";
import { refuseMarkup } from "./other_formats.ts";
import { placeOfMistake } from "./parse_json.ts";
import { readDate } from "../mapping/read_date.ts";
import type { Table } from "../mapping/table.ts";

const GUID = /^\{?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}?$/i;
const ASSIGNMENT = /ProductFamily\s*\.\s*(id|name)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** A byte order mark, zero-width and control characters. */
const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]|\p{Cc}/gu;

/** A group of products whose items are a document of their own; its address is relative to the page. */
type Family = Record<"name" | "address", string>;

/**
 * The product families that the page of the roadmap names, each with the address of its document.
 *
 * @throws {SnapshotError} if it names none, or one without an id
 */
function readFamilies(html: string, location: string): Family[] {
  const families: Family[] = [];
  let id: string | null = null;
  for (const [, key, quoted, apostrophed] of html.matchAll(ASSIGNMENT)) {
    const value = quoted ?? apostrophed!;
    if (key === "id") {
      id = value;
    } else if (id !== null) {
      const guid = GUID.exec(id.trim())?.[1];
      if (!guid) {
        throw new SnapshotError(`Cannot read ${location}: its product family "${value}" has no id`);
      }
      families.push({ name: cleanValue(value), address: `fabric-json/?productId=${guid}` });
      id = null;
    }
  }
  if (families.length > 0) return families;
  throw new SnapshotError(`Cannot read ${location}: the page names no product families`);
}

/** A name without invisible characters, and with its quotation marks. */
function cleanValue<Value>(value: Value): Value | string {
  if (typeof value !== "string") return value;
  return value.replace(/[\t\r\n]/g, " ").replace(INVISIBLE, "").replaceAll("&quot;", '"').trim();
}

function withoutBraces(value: unknown): unknown {
  return typeof value === "string" ? GUID.exec(value.trim())?.[1] ?? value : value;
}

/**
 * The Microsoft Fabric roadmap: its page, which names a document of each product family, or such
 * a document: `{"results": [{"ReleaseItemID": …}]}`.
 */
export const fabric: Kind = {
  kind: "fabric",
  title: "Microsoft Fabric roadmap",
  recognises: ({ text }) =>
    /^\s*</.test(text) && /ProductFamily\s*\.\s*id\s*=/.test(text) ||
    hasKey(text, "ReleaseItemID"),
  read: readFabric,
  toItem(value) {
    const fields = asObject(value);
    return fields && {
      release_item_id: withoutBraces(fields.ReleaseItemID),
      feature_name: cleanValue(fields.FeatureName),
      release_date: toIsoDate(fields.ReleaseDate),
      release_type: cleanValue(fields.ReleaseType),
      release_status: cleanValue(fields.ReleaseStatus),
      product_id: withoutBraces(fields.ProductID),
      product_name: cleanValue(fields.ProductName),
      feature_description: fields.FeatureDescription,
      blog_title: fields.BlogTitle,
      blog_url: fields.BlogURL ?? fields.BlogUrl,
      last_modified: toIsoDate(fields.LastModified),
      active: isPublished(fields.isPublishExternally) ? fields.Active : false,
    };
  },
};

async function readFabric(source: SourceToRead): Promise<Table> {
  const first = await openFirst(source);
  const text = readText(first, source);
  if (!/^\s*</.test(text)) return await readDocument(source, first, text);
  const all = readFamilies(text, first.shown);
  if (!isAddress(first.address)) {
    throw refuse(first, "it names documents that only its address has");
  }
  const base = first.address.replace(/[?#].*/s, "").replace(/\/?$/, "/");
  const byAddress = new Map(all.map((family) => [family.address, family]));
  const families = [...byAddress.values()].slice(0, source.onlyFirstPage ? 1 : undefined);
  const rows: unknown[] = [];
  let repaired = 0;
  for (const { name, address } of families) {
    const read = await readFamily(source, { name, address, base });
    for (const row of read.rows) rows.push(row);
    repaired += read.repaired ?? 0;
  }
  return { rows, repaired, families: families.map(({ name }) => name) };
}

async function readFamily(
  source: SourceToRead,
  { name, address, base }: { name: string; address: string; base: string },
): Promise<Table> {
  try {
    const document = (await source.open({ address, base }))!;
    return await readDocument(source, document, readText(document, source));
  } catch (error) {
    if (error instanceof SnapshotError) {
      error.message = `The product family "${name}": ${error.message}`;
    }
    throw error;
  }
}

async function readDocument(
  source: SourceToRead,
  document: Document,
  text: string,
): Promise<Table> {
  if (text.trim() === "") throw refuse(document, "it is empty");
  if (/^\s*</.test(text)) throw refuseMarkup(text.trimStart(), document);
  const { text: whole, repaired } = repair(text, document);
  const page = jsonPage(JSON.parse(whole), document, ["results"]);
  const read = await followPages(source, document, () => page);
  return { ...read, repaired };
}

function repair(text: string, document: Document): { text: string; repaired: number } {
  try {
    return repairJson(text);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw refuse(document, error.message);
  }
}

function isPublished(value: unknown): boolean {
  return !/^(?:false|no|0)$/i.test(String(value ?? "").trim());
}

/** A day or a period, with the month first, as `YYYY-MM-DD`; what is neither as it is. */
function toIsoDate(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const read = readDate(value, { order: "MDY" });
  return "date" in read ? read.date : value;
}

/** JSON of which more than one reading is possible, or none. */
class BrokenJson extends Error {}

/** What follows a name, and what follows a text: the next name, the next object, or the end. */
const AFTER_NAME = /\s*:/y;
const AFTER_TEXT = /\s*(?:,\s*"\w+"\s*:|\}\s*(?:,\s*[{"]|[\]}]|$)|,\s*\{|\])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-f]{4})/iy;

/**
 * Repairs what a text template breaks in JSON: control characters, wrong escapes, and quotation
 * marks inside texts. Valid JSON stays as it is. jsonrepair 3.15 does not fit: it completes a
 * truncated document, whose other items would be removed, reads `""a""` as fields, refuses control
 * characters, and counts nothing.
 *
 * @throws {BrokenJson} if something else is wrong, or there is more than one way to read it
 */
export function repairJson(text: string): { text: string; repaired: number } {
  if (findJsonMistake(text) === null) return { text, repaired: 0 };
  const repair = new Repair(text);
  const fixed = repair.run();
  const at = findJsonMistake(fixed);
  if (at !== null) throw repair.refuse(repair.originOf(at));
  return { text: fixed, repaired: repair.places.length };
}

/** Where a text stops being JSON; null: nowhere. */
function findJsonMistake(text: string): number | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return placeOfMistake(error as SyntaxError, text);
  }
}

class Repair {
  /** Where the result has something else, and how many characters more it has there. */
  readonly places: { at: number; more: number }[] = [];
  #parts: string[] = [];
  #length = 0;
  #at = 0;
  /** The last character outside texts that is no white space. */
  #last = "";

  constructor(private readonly text: string) {}

  run(): string {
    while (this.#at < this.text.length) {
      const character = this.text[this.#at]!;
      if (character === '"') this.#readText();
      else {
        if (character.trim() !== "") this.#last = character;
        this.#take(1, character);
      }
    }
    return this.#parts.join("");
  }

  originOf(position: number): number {
    const before = this.places.filter(({ at }) => at < position);
    return position - before.reduce((sum, { more }) => sum + more, 0);
  }

  refuse(index: number): BrokenJson {
    const line = this.text.slice(0, index).split("\n").length;
    const excerpt = JSON.stringify(this.text.slice(Math.max(0, index - 20), index + 40));
    return new BrokenJson(
      `it is not valid JSON, and cannot be repaired, in line ${line}: ${excerpt}`,
    );
  }

  #readText(): void {
    const start = this.#at;
    const after = this.#last === ":" ? AFTER_TEXT : AFTER_NAME;
    this.#last = '"';
    this.#take(1, '"');
    while (this.#at < this.text.length) {
      const character = this.text[this.#at]!;
      if (character === '"') {
        if (this.#readQuotationMarks(after)) return;
      } else if (character === "\\") this.#readEscape();
      else if (character < " ") this.#replace(1, JSON.stringify(character).slice(1, -1));
      else this.#take(1, character);
    }
    throw this.refuse(start);
  }

  /** A Markdown escape such as `\_` means its character; before a letter, a backslash is one. */
  #readEscape(): void {
    const [escape] = this.#match(ESCAPE, this.#at) ?? [];
    if (escape) return this.#take(escape.length, escape);
    const isMarkdown = /[!-/:-@[-`{-~]/.test(this.text[this.#at + 1] ?? "");
    this.#replace(1, isMarkdown ? "" : "\\\\");
  }

  /** Whether they end the text; those inside are doubled (`""preview""`), or single. */
  #readQuotationMarks(after: RegExp): boolean {
    const [marks] = this.#match(/"+/y, this.#at)!;
    const isEnd = this.#match(after, this.#at + marks.length) !== null;
    const inside = isEnd ? marks.length - 1 : marks.length;
    // `"hi""}` may end with a quotation mark, or go on behind a doubled one.
    if (inside > 1 && inside % 2 === 1 || isEnd && inside === 1) throw this.refuse(this.#at);
    for (let pair = 0; pair < inside; pair += 2) this.#replace(Math.min(2, inside), '\\"');
    if (isEnd) this.#take(1, '"');
    return isEnd;
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text);
  }

  #replace(count: number, by: string): void {
    this.places.push({ at: this.#length, more: by.length - count });
    this.#take(count, by);
  }

  #take(count: number, as: string): void {
    this.#parts.push(as);
    this.#length += as.length;
    this.#at += count;
  }
}
