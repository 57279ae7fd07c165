import { FIELD_NAMES, type FieldName } from "../fields.ts";

/**
 * Names that columns have elsewhere, besides the field's own. Those of an earlier row are surer:
 * where there is one of them, those of later rows are left alone. Two of one row are a question
 * for a person.
 *
 * Addresses of single items and notes are not among them: what is internal is published only where
 * a mapping says so.
 */
const NAMES: Readonly<Partial<Record<FieldName, readonly (readonly string[])[]>>> = {
  release_item_id: [
    ["key", "issue key", "uuid", "guid"],
    ["id", "issue id", "item id", "feature id", "identifier", "external id", "reference"],
    ["number", "no", "nr"],
  ],
  feature_name: [
    ["title", "name", "feature", "feature title"],
    ["summary", "subject", "headline", "item", "epic", "initiative"],
  ],
  release_date: [
    ["planned release date", "target release date", "planned release", "target release"],
    [
      ...["release", "target", "target date", "eta", "due", "due date", "duedate", "due on"],
      ...["milestone due on", "ga date", "launch", "launch date", "ship date", "delivery date"],
      ...["planned", "planned date", "planned for", "quarter", "timeframe"],
    ],
    ["date", "end date"],
    ["fix version", "fix versions", "fix version s", "published at"],
  ],
  release_type: [["type", "kind", "issue type", "issuetype"], ["release phase", "phase"]],
  release_status: [["status", "state"], ["stage", "progress"]],
  product_name: [
    ["product"],
    ["project name", "project"],
    ["area", "product area", "component", "components", "component s", "module"],
    ["repository", "repository url"],
  ],
  feature_description: [
    ["description", "body", "content body"],
    ["details", "text"],
  ],
  blog_url: [["blog", "blog link", "blog address", "announcement", "more info", "more info link"]],
  last_modified: [
    ["modified", "last updated", "last change"],
    ["updated", "updated at", "updated on"],
  ],
};

/** A field that a column may be, and how sure that is: 0 is the field's own name. */
export interface KnownColumn {
  field: FieldName;
  tier: number;
}

const KNOWN: ReadonlyMap<string, KnownColumn> = new Map(
  FIELD_NAMES.flatMap((field) => {
    const tiers = [[plainName(field)], ...NAMES[field] ?? []];
    return tiers.flatMap((names, tier) => names.map((name) => [name, { field, tier }] as const));
  }),
);

/**
 * The name of a column without what makes no difference: case, spaces, signs.
 *
 * ```ts
 * if (plainName(" Fix Version/s") !== plainName("fixVersion_s")) throw new Error();
 * ```
 */
export function plainName(name: string): string {
  return name.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ").toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** The field that a column is by its name; undefined where the name says nothing. */
export function knownColumn(name: string): KnownColumn | undefined {
  return KNOWN.get(plainName(name.replace(/^fields\./, ""))); // Jira keeps an issue's fields apart
}
