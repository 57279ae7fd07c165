import type { SourceKind } from "../config/settings.ts";
import { type Kind, MAX_ROWS, type ReadRows, type SourceToRead, textOf } from "./kinds/kind.ts";
import { isZip } from "./fetching/archives.ts";
import { showLocation } from "./fetching/location.ts";
import { findKind, kindOf, recogniseKind } from "./kinds/known_kinds.ts";
import type { Fields } from "./mapping/fields.ts";
import { SnapshotError } from "./snapshot_error.ts";

/** How many characters are examined to recognise a source. */
const BEGINNING = 64_000;

/** All rows of a source of a kind, and what renames their fields yet. */
type RowsOfKind = ReadRows & { kind: SourceKind; toItem: Kind["toItem"] };

/**
 * Reads all rows of a source of a known kind, or of one that is recognised by its first document.
 *
 * @throws {SnapshotError} that names the location and says why it cannot be read
 */
export async function readRows(
  source: SourceToRead & { kind: SourceKind | null; fields: Fields },
): Promise<RowsOfKind> {
  const { location } = source;
  const known = kindOf(location, source.kind) ?? (source.api ? "json" : null);
  if (known === null) {
    const first = (await source.open({ address: location }))!;
    const kind = isZip(first.bytes) ? findKind("xlsx") : recogniseKind({
      location,
      contentType: first.contentType,
      extension: extensionOf(location),
      text: textOf(first, source).slice(0, BEGINNING),
    });
    return await readKind(kind, { ...source, first });
  }
  const kind = findKind(known);
  if (kind.form?.parse(location) === null) {
    throw refuse(source, `a source of kind ${known} is written ${kind.form.written}`);
  }
  return await readKind(kind, source);
}

async function readKind(
  kind: Kind,
  source: SourceToRead & { fields: Fields },
): Promise<RowsOfKind> {
  // A mapping may ask for fields by the names that they have in the source.
  const isMapped = Object.keys(source.fields).length > 0;
  const read = await kind.read(isMapped ? source : { ...source, toItem: kind.toItem });
  if (read.rows.length > MAX_ROWS) throw refuse(source, `it has more than ${MAX_ROWS} items`);
  const asItIs = (row: unknown) => row;
  return { ...read, kind: kind.kind, toItem: isMapped ? kind.toItem : kind.toItem && asItIs };
}

function refuse({ location }: SourceToRead, reason: string): SnapshotError {
  return new SnapshotError(`Cannot read ${showLocation(location)}: ${reason}`);
}

function extensionOf(location: string): string {
  return /\.(\w+)$/.exec(location.replace(/[?#].*/s, ""))?.[1]?.toLowerCase() ?? "";
}
