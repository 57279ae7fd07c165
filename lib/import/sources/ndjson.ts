import { SnapshotError } from "./snapshot_item.ts";
import { fieldsOf, type RawItems, type Source } from "./source.ts";

const CONTENT_TYPES = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** One JSON object a line. */
export const ndjson: Source = {
  kind: "ndjson",
  recognises: ({ contentType, extension, text }) =>
    CONTENT_TYPES.includes(contentType ?? "") || ["ndjson", "jsonl"].includes(extension) ||
    isItemLine(/^\ufeff?\s*([^\n]*)\n/.exec(text)?.[1]),
  read: (chunks, { location }) => readLines(chunks, location),
  toItem: (value) => value,
};

/** A first line that is an item by itself, rather than the begin of a JSON text. */
function isItemLine(line: string | undefined): boolean {
  if (!line?.startsWith("{")) return false;
  try {
    return "release_item_id" in JSON.parse(line);
  } catch {
    return false;
  }
}

async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  location: string,
): AsyncGenerator<RawItems> {
  const decoder = new TextDecoder();
  let number = 0;
  let rest = "";
  let isEmpty = true;
  const parse = (line: string) => parseLine(line, ++number, location);
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    const items = lines.map(parse).filter((item) => item !== null);
    if (items.length === 0) continue;
    isEmpty = false;
    yield { items };
  }
  const last = parse(rest + decoder.decode());
  if (last !== null) yield { items: [last] };
  else if (isEmpty) throw new SnapshotError(`Cannot read ${location}: it is empty`);
}

function parseLine(line: string, number: number, location: string): unknown {
  if (line.trim() === "") return null;
  try {
    const value = JSON.parse(line);
    if (fieldsOf(value)) return value;
  } catch {
    // Said below.
  }
  throw new SnapshotError(`Cannot read ${location}: its line ${number} is not a JSON object`);
}
