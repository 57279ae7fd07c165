import { JsonBounds } from "./json_bounds.ts";
import { MAX_ITEM_LENGTH } from "../mapping/snapshot_item.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { asObject } from "../../text/as_object.ts";
import { type RawItems, type Source } from "./source.ts";

const CONTENT_TYPES = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** One JSON object a line. */
export const ndjson: Source = {
  kind: "ndjson",
  recognises: ({ contentType, extension, text }) =>
    CONTENT_TYPES.includes(contentType ?? "") || ["ndjson", "jsonl"].includes(extension) ||
    beginsWithItemLine(text),
  read: (chunks, { location }) => readLines(chunks, location),
};

/** A first line that is an item by itself, or an object with another one in the next line. */
function beginsWithItemLine(text: string): boolean {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf("\n");
  if (end === -1 || !trimmed.startsWith("{")) return false;
  try {
    const item = JSON.parse(trimmed.slice(0, end));
    return "release_item_id" in item || trimmed.slice(end).trimStart().startsWith("{");
  } catch {
    return false;
  }
}

async function* readLines(
  chunks: AsyncIterable<string>,
  location: string,
): AsyncGenerator<RawItems> {
  let number = 0;
  let rest = "";
  let isEmpty = true;
  for await (const chunk of chunks) {
    const items: unknown[] = [];
    let start = 0;
    for (let end; (end = chunk.indexOf("\n", start)) !== -1; start = end + 1) {
      const item = parseLine(rest + chunk.slice(start, end), ++number, location);
      if (item !== null) items.push(item);
      rest = "";
    }
    rest += chunk.slice(start);
    refuseLong(rest, number + 1, location);
    if (items.length === 0) continue;
    isEmpty = false;
    yield { items };
  }
  const last = parseLine(rest, ++number, location);
  if (last !== null) yield { items: [last] };
  else if (isEmpty) throw new SnapshotError(`Cannot read ${location}: it is empty`);
}

function refuseLong(line: string, number: number, location: string): void {
  if (line.length <= MAX_ITEM_LENGTH) return;
  throw new SnapshotError(
    `Cannot read ${location}: its line ${number} is longer than ${MAX_ITEM_LENGTH} characters`,
  );
}

function parseLine(line: string, number: number, location: string): unknown {
  refuseLong(line, number, location);
  if (line.trim() === "") return null;
  new JsonBounds(location, 0, number).check(line);
  try {
    const value = JSON.parse(line);
    if (asObject(value)) return value;
  } catch {
    // Said below.
  }
  throw new SnapshotError(`Cannot read ${location}: its line ${number} is not a JSON object`);
}
