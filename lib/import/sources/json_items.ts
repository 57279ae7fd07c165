import { JSONParser } from "@streamparser/json";
import { firstLineOf } from "../../expected_error.ts";
import { JsonBounds } from "./json_bounds.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { asObject } from "../../text/as_object.ts";
import { findSignOfMore } from "./sign_of_more.ts";
import { type RawItems, type SignOfMore } from "./source.ts";

/** A parser's message repeats the invalid input, however long it is. */
const MAX_REASON_LENGTH = 200;
const OR = new Intl.ListFormat("en", { type: "disjunction" });

/**
 * Reads the items of a JSON text while it arrives: an array of them, or an object with a list of
 * them under one of some keys, whose `links.next` may name the next page (interface specification,
 * 2.2 to 2.4).
 *
 * @throws {SnapshotError} if the text is not JSON, is truncated or has another shape
 */
export async function* readJsonItems(
  chunks: AsyncIterable<string>,
  options: { location: string; lists: readonly string[] },
): AsyncGenerator<RawItems> {
  const { location, lists } = options;
  let items: JsonItems | undefined;
  for await (const chunk of chunks) {
    const text = items ? chunk : chunk.trimStart();
    if (text === "") continue;
    if (items === undefined && text.startsWith("<")) throw isMarkup(text, location);
    items ??= new JsonItems(text.startsWith("["), options);
    items.read(text);
    if (items.count > 0) yield items.take();
  }
  if (items === undefined) throw new SnapshotError(`Cannot read ${location}: it is empty`);
  if (!items.isEnded) {
    throw new SnapshotError(`Cannot read ${location}: it is incomplete JSON: the end is missing`);
  }
  if (!items.hasList) throw noItems(location, lists, items.signOfMore);
  yield { ...items.take(), more: items.signOfMore };
}

/** Refuses markup in place of data: often the page of a login, or of a spreadsheet. */
export function isMarkup(text: string, location: string): SnapshotError {
  const what = text.startsWith("<?xml") ? "XML" : "an HTML page";
  return new SnapshotError(
    `Cannot read ${location}: it is ${what}, not JSON, NDJSON or CSV: use the address of the ` +
      "data itself, one that needs no login",
  );
}

function noItems(
  location: string,
  lists: readonly string[],
  sign: SignOfMore | null = null,
): SnapshotError {
  const names = OR.format(lists.map((list) => `"${list}"`));
  const reason = `it is neither an array of items nor an object whose ${names} is one`;
  const more = sign && `; with ${sign.shown} it may be one page of more as well: see ` +
      '"One page of more" in docs/sources.md';
  return new SnapshotError(`Cannot read ${location}: ${reason}${more ?? ""}`);
}

/** The items of one JSON text, which keeps only the item being read in memory. */
class JsonItems {
  hasList: boolean;
  readonly #parser: JSONParser;
  readonly #bounds: JsonBounds;
  #list: string | undefined;
  /** What the object says beside its items. */
  readonly #about: Record<string, unknown> = {};
  #found: RawItems = { items: [] };

  constructor(
    isArray: boolean,
    private readonly options: { location: string; lists: readonly string[] },
  ) {
    const { location, lists } = options;
    this.hasList = isArray;
    this.#bounds = new JsonBounds(location, isArray ? 1 : 2);
    const inLists = lists.map((list) => `$.${list}.*`);
    this.#parser = new JSONParser({
      paths: isArray ? ["$.*"] : ["$.*", ...inLists],
      keepStack: false,
    });
    this.#parser.onValue = ({ value, key, parent, stack }) => {
      const list = isArray || stack.length < 2 ? null : String(stack[1]!.key);
      if (Array.isArray(parent)) {
        if (list !== null) this.#seeList(list);
        this.#found.items.push(value);
        parent.length = 0; // keeps the parser from collecting the whole array
      } else if (list !== null && !this.hasList) throw noItems(location, lists);
      else if (lists.includes(String(key))) this.hasList ||= Array.isArray(value);
      else this.#seeAbout(String(key), value);
    };
  }

  /** With several lists it is unclear which one is the roadmap. */
  #seeList(list: string): void {
    this.#list ??= list;
    if (this.#list === list) return;
    throw new SnapshotError(
      `Cannot read ${this.options.location}: both its "${this.#list}" and its "${list}" are lists: ` +
        "keep only the one with the releases",
    );
  }

  #seeAbout(key: string, value: unknown): void {
    const inside = (name: string) => asObject(key === name ? value : null) ?? {};
    const next = key === "@odata.nextLink" ? value : inside("links").next;
    if (typeof next === "string") this.#found.next = next;
    const total = key === "@odata.count" ? value : inside("pagination").total_items;
    if (typeof total === "number") this.#found.total = total;
    this.#about[key] = value;
  }

  /** What says that there is more than these items; a `links.next` is followed. */
  get signOfMore(): SignOfMore | null {
    const about = { ...this.#about };
    if (typeof asObject(about.links)?.next === "string") delete about.links;
    // A count is more exact than a link, which the last page may have as well.
    if (typeof about["@odata.count"] === "number") delete about["@odata.nextLink"];
    return findSignOfMore(about);
  }

  get isEnded(): boolean {
    return this.#parser.isEnded;
  }

  /** How many items were found since the last call. */
  get count(): number {
    return this.#found.items.length;
  }

  take(): RawItems {
    const found = this.#found;
    this.#found = { items: [] };
    return found;
  }

  read(text: string): void {
    this.#bounds.check(text);
    try {
      this.#parser.write(text);
    } catch (error) {
      if (error instanceof SnapshotError) throw error;
      const reason = firstLineOf(error).slice(0, MAX_REASON_LENGTH);
      throw new SnapshotError(`Cannot read ${this.options.location}: it is not JSON: ${reason}`);
    }
  }
}
