import { JSONParser } from "@streamparser/json";
import { firstLineOf } from "../../first_line.ts";
import { SnapshotError } from "./snapshot_item.ts";
import type { RawItems } from "./source.ts";

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Reads the items of a JSON text while it arrives: an array of them, or an object with a `list` of
 * them, whose `links.next` may name the next page (interface specification, 2.2 to 2.4).
 *
 * @throws {SnapshotError} where the text is not JSON, ends too early or has another shape
 */
export async function* readJsonItems(
  chunks: AsyncIterable<Uint8Array>,
  { location, list }: { location: string; list: string },
): AsyncGenerator<RawItems> {
  let parser: JSONParser | undefined;
  let found: RawItems = { items: [] };
  let hasItems = false;
  let head: number[] = [];

  function start(firstCharacter: string): JSONParser {
    const isArray = firstCharacter === "[";
    hasItems = isArray;
    const parser = new JSONParser({
      paths: isArray ? ["$.*"] : [
        `$.${list}.*`,
        `$.${list}`,
        "$.links.next",
        "$.pagination.total_items",
      ],
      keepStack: false,
    });
    parser.onValue = ({ value, key, parent }) => {
      if (Array.isArray(parent)) {
        found.items.push(value);
        parent.length = 0; // keeps the parser from collecting the whole array
      } else if (key === list) hasItems = Array.isArray(value);
      else if (key === "next" && typeof value === "string") found.next = value;
      else if (key === "total_items" && typeof value === "number") found.total = value;
    };
    return parser;
  }

  function write(bytes: Uint8Array): void {
    try {
      parser!.write(bytes);
    } catch (error) {
      throw new SnapshotError(`Cannot read ${location}: it is not JSON: ${firstLineOf(error)}`);
    }
  }

  for await (const chunk of chunks) {
    if (parser === undefined) {
      head = withoutLeadingSpace([...head, ...chunk]);
      const isCutMark = head.length < 3 && head.every((byte, i) => byte === BYTE_ORDER_MARK[i]);
      if (isCutMark) continue;
      parser = start(String.fromCharCode(head[0]!));
      write(Uint8Array.from(head));
    } else write(chunk);
    if (found.items.length > 0) {
      yield found;
      found = { items: [] };
    }
  }
  if (parser === undefined) throw new SnapshotError(`Cannot read ${location}: it is empty`);
  if (!parser.isEnded) {
    throw new SnapshotError(`Cannot read ${location}: it is not whole JSON, its end is missing`);
  }
  if (!hasItems) {
    throw new SnapshotError(
      `Cannot read ${location}: it is neither an array of items nor an object whose "${list}" is one`,
    );
  }
  yield found;
}

function withoutLeadingSpace(bytes: number[]): number[] {
  const start = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? 3 : 0;
  const first = bytes.findIndex((byte, index) =>
    index >= start && ![0x20, 0x09, 0x0a, 0x0d].includes(byte)
  );
  return first === -1 ? [] : bytes.slice(first);
}
