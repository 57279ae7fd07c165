import { FIELD_NAMES, type FieldName } from "./fields.ts";

/**
 * Column names of other tools, besides the field's own. Earlier rows are more reliable: if one of
 * their names is found, later rows are ignored. Two names of one row need a decision by a person.
 *
 * URLs of items and notes are not among them: they may be internal, and need a mapping to be
 * published.
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
  created: [["created at"], ["created on"], ["date created"], ["creation date"]],
};

/** A field that a column may be, and its rank: 0 is the field's own name. */
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
 * The normalised name of a column: without case, spaces and punctuation.
 *
 * ```ts
 * if (plainName(" Fix Version/s") !== plainName("fixVersion_s")) throw new Error();
 * ```
 */
export function plainName(name: string): string {
  return name.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ").toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** The field of a column by its name; undefined for an unknown name. */
export function knownColumn(name: string): KnownColumn | undefined {
  return KNOWN.get(plainName(name.replace(/^fields\./, ""))); // Jira keeps an issue's fields apart
}
