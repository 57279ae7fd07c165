import { type Zippable, zipSync } from "fflate";

/** A text, a number, or the XML inside a cell with its attributes, as `{ t: "b", v: "1" }`. */
export type Cell = string | number | null | { t?: string; s?: number; xml: string };

const NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Cell styles: 0 is none, 1 a date, 2 a date in a custom format, and those that are given. */
function stylesOf(formats: readonly (string | number)[]): string {
  const own = ["dd/mm/yyyy;@", ...formats];
  const escape = (code: string) => code.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const named = own.map((code, at) =>
    typeof code === "string" ? `<numFmt numFmtId="${164 + at}" formatCode="${escape(code)}"/>` : ""
  );
  const styles = own.map((code, at) =>
    `<xf numFmtId="${typeof code === "string" ? 164 + at : code}" applyNumberFormat="1"/>`
  );
  return `${HEAD}<styleSheet xmlns="${NAMESPACE}"><numFmts>${named.join("")}</numFmts>` +
    `<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>` +
    `<xf numFmtId="14" applyNumberFormat="1"/>${styles.join("")}</cellXfs></styleSheet>`;
}

/**
 * A workbook (.xlsx) with the rows of some sheets; `more` is added to the XML of each sheet, and
 * `states` says which are hidden, and how.
 */
export function makeSpreadsheet(
  sheets: Record<string, readonly (readonly Cell[])[]>,
  { more = "", files = {}, states = {}, edit = (sheet) => sheet, formats = [], from1904 }: {
    more?: string;
    /** The formats of the styles from 3 on: codes, or numbers of those that are built in. */
    formats?: readonly (string | number)[];
    /** Days are counted from 1904. */
    from1904?: boolean;
    /** Changes the XML of each sheet. */
    edit?: (sheet: string) => string;
    files?: Zippable;
    states?: Record<string, string>;
  } = {},
): Uint8Array<ArrayBuffer> {
  const names = Object.keys(sheets);
  const encode = (text: string) => new TextEncoder().encode(text);
  return zipSync({
    "[Content_Types].xml": encode(`${HEAD}<Types/>`),
    "xl/workbook.xml": encode(
      `${HEAD}<workbook xmlns="${NAMESPACE}" xmlns:r="${RELATIONS}">` +
        `${from1904 ? '<workbookPr date1904="1"/>' : ""}<sheets>` +
        names.map((name, at) => {
          const state = states[name] ? ` state="${states[name]}"` : "";
          return `<sheet name="${name}" sheetId="${at + 1}"${state} r:id="rId${at + 1}"/>`;
        }).join("") +
        "</sheets></workbook>",
    ),
    "xl/_rels/workbook.xml.rels": encode(
      `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
        names.map((_, at) =>
          `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" ` +
          `Target="worksheets/sheet${at + 1}.xml"/>`
        ).join("") +
        `<Relationship Id="rIdS" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    ),
    "xl/styles.xml": encode(stylesOf(formats)),
    ...Object.fromEntries(names.map((name, at) => [
      `xl/worksheets/sheet${at + 1}.xml`,
      encode(edit(
        `${HEAD}<worksheet xmlns="${NAMESPACE}"><sheetData>${
          sheets[name]!.map(toRow).join("")
        }</sheetData>${more}</worksheet>`,
      )),
    ])),
    ...files,
  }) as Uint8Array<ArrayBuffer>;
}

function toRow(cells: readonly Cell[], at: number): string {
  return `<row r="${at + 1}">${
    cells.map((cell, column) => toXml(cell, column, at)).join("")
  }</row>`;
}

function toXml(cell: Cell, column: number, row: number): string {
  if (cell === null) return "";
  const place = `r="${String.fromCharCode(65 + column)}${row + 1}"`;
  if (typeof cell === "number") return `<c ${place}><v>${cell}</v></c>`;
  if (typeof cell === "string") {
    const text = cell.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    return `<c ${place} t="inlineStr"><is><t>${text}</t></is></c>`;
  }
  const { t, s, xml } = cell;
  return `<c ${place}${t ? ` t="${t}"` : ""}${s ? ` s="${s}"` : ""}>${xml}</c>`;
}
