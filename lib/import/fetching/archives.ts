import { SnapshotError } from "../snapshot_error.ts";

const ZIP = [0x50, 0x4b, 0x03, 0x04];
/** The first bytes of files that are not text, and what to do with them. */
const ARCHIVES: readonly [begin: number[], advice: string][] = [
  [ZIP, 'it is a spreadsheet (.xlsx) or an archive, not text: leave out the kind, or set "xlsx"'],
  [
    [0xd0, 0xcf, 0x11, 0xe0], // the compound files of older Office, and those with a password
    "it is an old spreadsheet (.xls), or one with a password: save it as .xlsx without a password",
  ],
  [[0x1f, 0x8b], "it is compressed (gzip): unpack it and import what is in it"],
  [[0x25, 0x50, 0x44, 0x46], "it is a PDF, not text: export the roadmap as CSV or JSON"],
];

/** Whether bytes are the beginning of a ZIP archive, as a spreadsheet (.xlsx) is one. */
export function isZip(bytes: Uint8Array): boolean {
  return beginsWith(bytes, ZIP);
}

/** @throws {SnapshotError} if the bytes are not text, with what to do instead */
export function refuseArchive(bytes: Uint8Array, location: string): void {
  const found = ARCHIVES.find(([begin]) => beginsWith(bytes, begin));
  if (found) throw new SnapshotError(`Cannot read ${location}: ${found[1]}`);
}

function beginsWith(bytes: Uint8Array, begin: readonly number[]): boolean {
  return begin.every((byte, at) => bytes[at] === byte);
}
