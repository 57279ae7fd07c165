import { foldCell, textOf, textsOf } from "./cell_text.ts";
import type { Columns } from "./columns.ts";
import { FIELD_NAMES, type FieldName, type Mapping, type Where } from "./fields.ts";
import { lookUp, type Row } from "./look_up.ts";

/** Returns a test of rows, with the columns that are known so far. */
export function compileWhere(where: Where, columns: Columns): (row: Row) => boolean {
  const conditions = Object.entries(where).map(([name, condition]) => {
    const isNot = typeof condition === "object" && "not" in condition;
    const wanted = [isNot ? condition.not : condition].flat().map(foldCell);
    return { column: columns.find(name) ?? name, isNot, wanted: new Set(wanted) };
  });
  return (row) =>
    conditions.every(({ column, isNot, wanted }) =>
      valuesOf(lookUp(row, column)).some((value) =>
        wanted.has(value) || value !== "" && wanted.has("*")
      ) !== isNot
    );
}

/** The tests of the fields whose rules have conditions of their own. */
export function compileConditions(
  fields: Mapping,
  columns: Columns,
): Map<FieldName, (row: Row) => boolean> {
  return new Map(FIELD_NAMES.flatMap((field) => {
    const where = fields[field]?.where;
    return where ? [[field, compileWhere(where, columns)] as const] : [];
  }));
}

/** All values of a column, or an empty one; a text with separators counts as a whole as well. */
function valuesOf(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : [value];
  const values = parts.flatMap((part) => [textOf(part) ?? "", ...textsOf(part)].map(foldCell))
    .filter((text) => text !== "");
  return values.length > 0 ? values : [""];
}
