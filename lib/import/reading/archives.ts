import { SnapshotError } from "../mapping/snapshot_item.ts";

/** The first bytes of files that are not text, and what to do with them. */
const ARCHIVES: readonly [begin: number[], advice: string][] = [
  [
    [0x50, 0x4b, 0x03, 0x04], // ZIP
    'it is a spreadsheet (.xlsx) or an archive, not text: save it as "CSV UTF-8" and import that',
  ],
  [
    [0xd0, 0xcf, 0x11, 0xe0], // the compound files of older Office
    'it is an old spreadsheet (.xls), not text: save it as "CSV UTF-8" and import that',
  ],
  [[0x1f, 0x8b], "it is compressed (gzip): unpack it and import what is in it"],
  [[0x25, 0x50, 0x44, 0x46], "it is a PDF, not text: export the roadmap as CSV or JSON"],
];

/** @throws {SnapshotError} if the bytes are not text, with what to do instead */
export async function* refuseArchive(
  pieces: AsyncIterable<Uint8Array>,
  location: string,
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    const found = isFirst &&
      ARCHIVES.find(([begin]) => begin.every((byte, at) => piece[at] === byte));
    if (found) throw new SnapshotError(`Cannot read ${location}: ${found[1]}`);
    isFirst = false;
    yield piece;
  }
}
