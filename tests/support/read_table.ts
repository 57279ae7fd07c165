import { isZip } from "../../lib/import/fetching/decode_text.ts";
import { type Document, readText, type SourceToRead } from "../../lib/import/kinds/kind.ts";
import { findKind, recogniseKind } from "../../lib/import/kinds/known_kinds.ts";
import { MAPPING, namedColumns } from "../../lib/import/mapping/fields.ts";
import { mapTable } from "../../lib/import/mapping/map_table.ts";
import type { MappedTable } from "../../lib/import/mapping/table.ts";
import { describeProblem, SnapshotError } from "../../lib/import/snapshot_error.ts";
import { TODAY } from "./app.ts";

/** What comes of a file: its items and what is said of it, or why it is refused. */
export interface ReadTable {
  items: MappedTable["items"];
  problems: string[];
  notes: string[];
  leftOut: Readonly<Record<string, number>>;
  used: MappedTable["used"];
  columns: MappedTable["columns"];
  refused: string | null;
}

/** What a person says of a file. */
export interface Said {
  fields?: Readonly<Record<string, unknown>>;
  encoding?: string;
  sheet?: string;
}

const NOTHING: ReadTable = {
  items: [],
  problems: [],
  notes: [],
  leftOut: {},
  used: {},
  columns: [],
  refused: null,
};

/** Reads a file as an import does, without a worker and a database. */
export async function readTable(
  name: string,
  content: string | Uint8Array,
  { fields = {}, encoding, sheet }: Said = {},
): Promise<ReadTable> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const first: Document = {
    shown: name,
    address: name,
    bytes: new Uint8Array(bytes),
    contentType: null,
    charset: null,
    link: null,
    headers: {},
  };
  const mapping = MAPPING.parse(fields);
  const columns = namedColumns(mapping);
  const source: SourceToRead = {
    location: name,
    open: () => Promise.resolve(first),
    first,
    sheet,
    encoding,
    columns,
    settings: { github: { apiUrl: "" }, gitlab: { url: "" } },
    asOf: TODAY,
  };
  try {
    const extension = /\.(\w+)$/.exec(name)?.[1] ?? "";
    const kind = isZip(bytes) ? findKind("xlsx") : recogniseKind({
      location: name,
      contentType: null,
      extension,
      text: readText(first, source).slice(0, 64_000),
    });
    const isMapped = Object.keys(mapping).length > 0;
    const table = await kind.read(isMapped ? source : { ...source, toItem: kind.toItem });
    const asItIs = (row: unknown) => row;
    const { problems, ...read } = mapTable(table, { ...kind.fields, ...mapping }, {
      kind: kind.kind,
      sourceName: "My source",
      asOf: TODAY,
      toItem: isMapped ? kind.toItem : kind.toItem && asItIs,
    });
    return { ...NOTHING, ...read, problems: problems.kept.map(describeProblem) };
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return { ...NOTHING, refused: error.message };
  }
}
