import { csv } from "../sources/csv.ts";
import type { Source } from "../sources/source.ts";
import { readSheetAsCsv } from "./read_sheet.ts";

/** A sheet of an Excel workbook, read as its CSV would be. */
export const xlsx: Source = {
  kind: "xlsx",
  unpack: readSheetAsCsv,
  recognises: () => false,
  read: csv.read,
};
