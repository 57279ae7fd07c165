import { dateFromSerial, format, getFormatDateInfo } from "numfmt";
import { decodeEntities } from "../../text/plain_text.ts";
import { attribute } from "./sheet_xml.ts";

/** The formats that a workbook names by number alone (ECMA-376, 18.8.30); 0 and 49 show what is there. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "mm-dd-yy",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "m/d/yy h:mm",
  37: "#,##0 ;(#,##0)",
  38: "#,##0 ;[Red](#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;[Red](#,##0.00)",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mmss.0",
  48: "##0.0E+0",
};
const SHOWS_ALL = /^(?:General|@)$/i;
/** What lies between the two ways in which workbooks count days. */
const DAYS_TO_1904 = 1_462;

/** How a workbook shows its numbers. */
export interface Formats {
  /** The format of each style of cells; null: it shows what is there. */
  readonly codes: readonly (string | null)[];
  /** Its days are counted from 1904 (18.2.28). */
  readonly isFrom1904: boolean;
}

/** The formats of a workbook, from the text of its styles and its own. */
export function readFormats(styles: string, workbook: string): Formats {
  const own = new Map(
    [...styles.matchAll(/<(?:\w+:)?numFmt\s[^<>]*>/g)].map(([tag]) => [
      Number(attribute(tag, "numFmtId")),
      decodeEntities(attribute(tag, "formatCode") ?? ""),
    ]),
  );
  const formats = styles.slice(Math.max(0, styles.search(/<(?:\w{1,20}:)?cellXfs\b/)));
  const cells = formats.slice(0, Math.max(0, formats.search(/<\/(?:\w{1,20}:)?cellXfs>/)));
  const codes = [...cells.matchAll(/<(?:\w+:)?xf\s[^<>]*>/g)].map(([tag]) => {
    const id = Number(attribute(tag, "numFmtId"));
    const code = own.get(id) ?? BUILT_IN[id] ?? null;
    return code === null || SHOWS_ALL.test(code) ? null : code;
  });
  const [properties = ""] = /<(?:\w+:)?workbookPr\s[^<>]*>/.exec(workbook) ?? [];
  return { codes, isFrom1904: /^(?:1|true)$/.test(attribute(properties, "date1904") ?? "") };
}

/** A cell with its value, up to the next one. */
const CELL = /<((?:\w+:)?c)(\s[^<>]*?)?(?<!\/)>((?:[^<]|<(?!\/?(?:\w{1,20}:)?c[\s>]))*)<\/\1>/g;
const TYPE = /\st\s*=\s*["'](\w+)["']/;
const STYLE = /\ss\s*=\s*["'](\d+)["']/;
const CELL_PLACE = /\sr\s*=\s*["']([^"']+)["']/;
const CELL_VALUE = /<(?:\w+:)?v(?:\s[^<>]*)?>([^<]*)<\/(?:\w+:)?v>/;

/**
 * The XML of a sheet in which numbers and errors are the texts that people see, as in the CSV of the
 * sheet. What is shown as a day stays a number, of which the reader makes a day.
 */
export function showCells(sheet: string, formats: Formats): string {
  return sheet.replace(CELL, (cell, name: string, attributes = "", inside: string) => {
    const value = CELL_VALUE.exec(inside)?.[1];
    const type = TYPE.exec(attributes)?.[1] ?? "n";
    if (!value || type !== "n" && type !== "e") return cell;
    const code = formats.codes[Number(STYLE.exec(attributes)?.[1] ?? -1)] ?? null;
    const shown = type === "e" ? value : code && showNumber(Number(value), code, formats);
    if (shown === null) return cell;
    const place = CELL_PLACE.exec(attributes)?.[1];
    const prefix = name.slice(0, -1);
    const at = place ? ` r="${place}"` : "";
    return `<${name}${at} t="str"><${prefix}v>${shown}</${prefix}v></${name}>`;
  });
}

/** A number as XML in its format; null where it is a day, or cannot be shown so. */
function showNumber(value: number, code: string, { isFrom1904 }: Formats): string | null {
  try {
    const { year, month, day } = getFormatDateInfo(code);
    if (day) return null;
    // In all languages alike, as a month without a day is read.
    if (year && month) {
      const [fullYear = 0, number = 0] = dateFromSerial(value + (isFrom1904 ? DAYS_TO_1904 : 0)) ??
        [];
      return `${fullYear}-${String(number).padStart(2, "0")}`;
    }
    const shown = format(code, value).trim();
    return shown.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  } catch {
    return null;
  }
}
