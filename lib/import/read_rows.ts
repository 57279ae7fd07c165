import type { SourceKind } from "../config/settings.ts";
import { MAX_ROWS, type ReadRows, type SourceToRead, textOf } from "./kinds/kind.ts";
import { isZip } from "./fetching/archives.ts";
import { showLocation } from "./fetching/location.ts";
import { findKind, kindOf, recogniseKind } from "./kinds/known_kinds.ts";
import { SnapshotError } from "./snapshot_error.ts";

/** How many characters are examined to recognise a source. */
const BEGINNING = 64_000;

/**
 * Reads all rows of a source of a known kind, or of one that is recognised by its first document.
 *
 * @throws {SnapshotError} that names the location and says why it cannot be read
 */
export async function readRows(
  source: SourceToRead & { kind: SourceKind | null },
): Promise<ReadRows & { kind: SourceKind }> {
  const { location } = source;
  const known = kindOf(location, source.kind) ?? (source.api ? "json" : null);
  if (known !== null) {
    const kind = findKind(known);
    if (kind.form?.parse(location) === null) {
      throw new SnapshotError(
        `Cannot read ${
          showLocation(location)
        }: a source of kind ${known} is written ${kind.form.written}`,
      );
    }
    return checkRows(await kind.read(source), { kind: known, location });
  }
  const first = (await source.open({ address: location }))!;
  const kind = isZip(first.bytes) ? findKind("xlsx") : recogniseKind({
    location,
    contentType: first.contentType,
    extension: extensionOf(location),
    text: textOf(first, source).slice(0, BEGINNING),
  });
  return checkRows(await kind.read({ ...source, first }), { kind: kind.kind, location });
}

function checkRows(
  read: ReadRows,
  { kind, location }: { kind: SourceKind; location: string },
): ReadRows & { kind: SourceKind } {
  if (read.rows.length <= MAX_ROWS) return { ...read, kind };
  throw new SnapshotError(
    `Cannot read ${showLocation(location)}: it has more than ${MAX_ROWS} items`,
  );
}

function extensionOf(location: string): string {
  return /\.(\w+)$/.exec(location.replace(/[?#].*/s, ""))?.[1]?.toLowerCase() ?? "";
}
