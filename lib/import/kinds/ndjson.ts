import { asObject } from "../../text/values.ts";
import { type Kind, openFirst, readText, refuse } from "./kind.ts";
import { parseJson } from "./parse_json.ts";

const CONTENT_TYPES = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** One JSON object a line. */
export const ndjson: Kind = {
  kind: "ndjson",
  title: "NDJSON",
  recognises: ({ contentType, extension, text }) =>
    CONTENT_TYPES.includes(contentType ?? "") || ["ndjson", "jsonl"].includes(extension) ||
    beginsWithItemLine(text),
  async read(source) {
    const document = await openFirst(source);
    const rows: unknown[] = [];
    for (const [index, line] of readText(document, source).split("\n").entries()) {
      if (line.trim() === "") continue;
      const row = parseLine(line);
      if (row === null) {
        throw refuse(document, `its line ${index + 1} is not a JSON object${mistakeIn(line)}`);
      }
      rows.push(row);
    }
    if (rows.length === 0) throw refuse(document, "it is empty");
    return { rows };
  },
};

function parseLine(line: string): unknown {
  try {
    return asObject(parseJson(line, { shown: "" }));
  } catch {
    return null;
  }
}

/** What the parser says of a line; nothing if it is JSON of another kind. */
function mistakeIn(line: string): string {
  try {
    JSON.parse(line);
    return "";
  } catch (error) {
    return `: ${(error as SyntaxError).message}`;
  }
}

/** A first line that is an item by itself, or an object with another one in the next line. */
function beginsWithItemLine(text: string): boolean {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf("\n");
  if (end === -1 || !trimmed.startsWith("{")) return false;
  const item = parseLine(trimmed.slice(0, end));
  if (item === null) return false;
  return "release_item_id" in (item as object) ||
    trimmed.slice(end).trimStart().startsWith("{");
}
