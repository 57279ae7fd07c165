import type { FieldName } from "../../import/mapping/fields.ts";
import { describeProblem, type SnapshotProblem } from "../../import/snapshot_error.ts";
import { countOf } from "../../text/phrases.ts";

/** The fields of an item, as the menus above the columns call them. */
export const FIELD_LABELS: Readonly<Record<FieldName, string>> = {
  feature_name: "Title",
  release_item_id: "ID",
  product_name: "Product",
  release_status: "Status",
  release_date: "Date",
  feature_description: "Description",
  release_type: "Type",
  blog_url: "Link to a post",
  blog_title: "Title of a post",
  last_modified: "Last modified",
  created: "Created",
  active: "Active or not",
  product_id: "Product ID",
};

/** What names a setting or an option where a page has a menu or a field for it. */
const WORDS: readonly (readonly [said: RegExp, instead: string])[] = [
  [
    /^no column found for (\w+) \(columns are .*?\): name one in a mapping.*$/s,
    "no column is the $1: choose one in the menus above the columns",
  ],
  [/ could be (\w+): choose with a mapping .*$/s, " could be the $1: choose one above them"],
  [/: say which with a "format" in the mapping.*$/s, ""],
  [/: say which in the mapping, .*$/s, ""],
  [/; if it means (?:none|a day), say so in the mapping.*$/s, ""],
  [/, or say which with a "format" in the mapping$/, ", or enter their format below the column"],
  [
    /^the mapping takes (\w+) from ((?:"(?:[^"\\]|\\.)*"(?: or )?)+), but .*$/s,
    "the $1 was in $2: choose its column",
  ],
  [
    /^the mapping takes the tags ("(?:[^"\\]|\\.)*") from .*$/s,
    "the tags $1 had a column that is gone: choose another, or remove them in the mapping",
  ],
  [
    /^the mapping takes the date ("(?:[^"\\]|\\.)*") from .*$/s,
    "the date $1 had a column that is gone: choose another, or remove it in the mapping",
  ],
  [/^the mapping takes the tone .*$/s, "the column of the categories of statuses is gone"],
  [
    /^"where" names ("(?:[^"\\]|\\.)*"), but .*$/s,
    "rows are chosen by $1, a column that is gone: choose another",
  ],
  [/: name one with --sheet/, ": enter the name of one at “Sheet”"],
  [/, or name its encoding \(--encoding\)/, ""],
  [/; a mapping may name others/, "; others can be chosen"],
  [/: \{"release_date":.*$/s, ""],
  [/; say what they are in the mapping of release_status, .*$/s, "; say what they count as below"],
  [/name its words in a "where" of the mapping/, "name its words at “Only some rows”"],
  [/with `deno task sources remove [^`]*`, or use another DATA_DIR/, "on its page"],
];

/**
 * What is to be said of a source, as somebody reads it who has a page and no shell.
 *
 * ```ts
 * const said = inPageWords('"When" is "6/7/2027", which may be 2027-07-06 or 2027-06-07: say which ' +
 *   'with a "format" in the mapping, "DD/MM/YYYY" or "MM/DD/YYYY"');
 * if (said !== '"When" is "6/7/2027", which may be 2027-07-06 or 2027-06-07') throw new Error(said);
 * ```
 */
export function inPageWords(text: string): string {
  const words = WORDS.reduce((said, [pattern, instead]) => said.replace(pattern, instead), text);
  return words.replace(
    // In quotes it is the name of a column.
    /(?<!")\b(?:release_(?:item_id|date|type|status)|feature_(?:name|description)|product_(?:name|id)|blog_(?:title|url)|last_modified)\b(?!")/g,
    (field) => FIELD_LABELS[field as FieldName].toLowerCase(),
  );
}

/** Problems in sentences, one for each cause: its first row, and how many more there are. */
export function describeCauses(problems: readonly SnapshotProblem[]): string[] {
  const causes = Map.groupBy(
    problems,
    ({ field, reason }) => `${field} ${reason.replace(/"[^"]*"|\d+/g, "")}`,
  );
  return [...causes.values()].map(([first, ...others]) => {
    const more = others.length > 0 ? ` (and ${countOf(others.length, "row")} more like it)` : "";
    const said = describeProblem({ ...first!, reason: inPageWords(first!.reason) }) + more;
    return said.charAt(0).toUpperCase() + said.slice(1);
  });
}
