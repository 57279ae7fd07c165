import { FIELD_NAMES, type FieldName } from "./fields.ts";
import { type Concept, hintsOf, meaningsOf, means, phrasesOf, plainName } from "./lexicon.ts";
import { tidyText } from "./tidy_text.ts";

/** What speaks for a field in a name, with its weight where it is only a part of the name. */
type Words = readonly (readonly [Concept, weight: number])[];

/**
 * What a column of a field is called, the most reliable first: if one of the earlier is there, the
 * later ones are not asked. Two columns of one rank need a decision by a person.
 *
 * Addresses of items and notes are not among what is shown: they may be internal, and need a mapping
 * to be published.
 */
const WORDS: Readonly<Partial<Record<FieldName, Words>>> = {
  release_item_id: [["key", 3], ["card_id", 3], ["id", 3], ["number", 2], ["item_url", 0]],
  feature_name: [["item_name", 3], ["title", 3], ["subject", 2]],
  release_date: [
    ...[["planned_release", 3], ["due", 3], ["planned_end", 3], ["period", 2]] as const,
    ...[["release", 2], ["end", 2], ["date", 1], ["version", 0]] as const,
  ],
  release_type: [["type", 0], ["phase", 0]],
  release_status: [["status", 3], ["stage", 2], ["progress", 2], ["done", 0]],
  product_name: [
    ...[["product", 3], ["project", 2], ["area", 2], ["repository", 0], ["team", 0]] as const,
    ["board", 0],
  ],
  feature_description: [["description", 0], ["details", 0]],
  blog_url: [["announcement", 0]],
  last_modified: [["changed", 0]],
  created: [["created", 0]],
};

/** What speaks for a field as a part of a name, if the values do as well, and alone says nothing. */
const HOPES: Readonly<Partial<Record<FieldName, Words>>> = {
  release_date: [["hoped", 2]],
  product_name: [["offering", 2]],
  release_item_id: [["code", 2]],
};

/** Days of the work on a release, and of its life after it: none is when it is released. */
const OTHER_DAYS: readonly Concept[] = [
  ...["start", "created", "changed", "done_day", "other_day"] as const,
  ...["preview", "beta", "support_end", "retirement"] as const,
];
const PRIVACY_WORDS = [
  ...["confidential", "archived", "security", "private", "deleted", "public", "active"] as const,
];
/** What is said of a release besides what it is. */
const ABOUT: readonly Concept[] = [
  ...["person", "link", "level", "reason", "category", "done", "progress"] as const,
];

/** What in a name says that it is another column than that of a field. */
const AGAINST: Readonly<Partial<Record<FieldName, readonly Concept[]>>> = {
  release_item_id: [
    ...OTHER_DAYS,
    ...ABOUT,
    ...["product", "project", "area", "team", "type", "status", "date", "subject"] as const,
  ],
  feature_name: [
    ...OTHER_DAYS,
    ...ABOUT,
    ...["product", "project", "area", "team", "board", "type", "status", "stage", "date"] as const,
    ...["key", "id", "number", "description", "details"] as const,
  ],
  release_date: [...OTHER_DAYS, ...ABOUT, "description", "details", "type"],
  release_status: [
    ...OTHER_DAYS,
    ...["person", "link", "level", "reason", "category", "date", "key", "id", "number"] as const,
    ...["description", "details", ...PRIVACY_WORDS] as const,
  ],
  product_name: [
    ...OTHER_DAYS,
    ...ABOUT,
    ...["type", "status", "stage", "date", "key", "id", "number", "description"] as const,
    ...["details", "version", "due"] as const,
  ],
};

const OTHER_ROLES: readonly Concept[] = [...OTHER_DAYS, ...ABOUT, ...PRIVACY_WORDS, "parent"];

/** A field that a column may be, and its rank: 0 is the field's own name. */
interface KnownColumn {
  field: FieldName;
  rank: number;
}

const OWN_NAMES: ReadonlyMap<string, FieldName> = new Map(
  FIELD_NAMES.map((field) => [plainName(field), field]),
);

/** The name of a column without the objects and the vendor around it: `fields.System.Title`. */
const bareName = (name: string) =>
  name.replace(/^fields\./, "").replace(/^(?:System|Microsoft\.VSTS\.\w+)\./, "");

/** The field of a column by its name; undefined for an unknown name. */
export function knownColumn(name: string): KnownColumn | undefined {
  const bare = bareName(name);
  const own = OWN_NAMES.get(plainName(bare));
  if (own !== undefined) return { field: own, rank: 0 };
  const known = fieldOf(bare) ?? firstLevel(bare);
  if (known) return known;
  // A name with a remark, or a field of one's own, counts after those of the tool.
  const inner = fieldOf(withoutRemark(bare));
  return inner && { ...inner, rank: inner.rank + 0.5 };
}

/** The titles of a tree have a column for each of its levels: `Title 1`. */
function firstLevel(name: string): KnownColumn | undefined {
  const [, title] = FIRST_LEVEL.exec(plainName(name)) ?? [];
  const known = title === undefined ? undefined : fieldOf(title);
  return known?.field === "feature_name" ? { ...known, rank: known.rank + 2 } : undefined;
}

/** The field whose name this is, whole; of several the one for which it says most. */
function fieldOf(name: string): KnownColumn | undefined {
  const meanings = meaningsOf(name);
  if (meanings.size === 0) return undefined;
  const found = Object.entries(WORDS).flatMap(([field, words]) => {
    const at = words.findIndex(([concept]) => meanings.has(concept));
    return at === -1 ? [] : [{ field: field as FieldName, rank: at + 1 }];
  });
  return found.toSorted((one, other) => one.rank - other.rank)[0];
}

/** The roles of a column are asked for with each row. */
const ROLES = new Map<string, ReadonlySet<Concept>>();
const MAX_ROLES = 5_000;

/** What the whole name of a column means, with or without its remarks. */
export function rolesOf(name: string): ReadonlySet<Concept> {
  const known = ROLES.get(name);
  if (known !== undefined) return known;
  const bare = bareName(name);
  const found = [name, bare, withoutRemark(bare)].map(meaningsOf);
  const roles = found.find(({ size }) => size > 0) ?? found[0]!;
  if (ROLES.size < MAX_ROLES) ROLES.set(name, roles);
  return roles;
}

/** Whether a whole name is that of something besides a release: its start, its owner, its link. */
export function isOtherRole(name: string): boolean {
  const roles = rolesOf(name);
  return OTHER_ROLES.some((role) => roles.has(role));
}

/** Stages of the life of a release besides its release, whose days are promises of their own. */
const STAGES: readonly Concept[] = ["preview", "beta", "support_end", "retirement"];
/** Days of the work on a release are never published by themselves. */
const WORK_DAYS: readonly Concept[] = [
  ...["start", "created", "changed", "done_day", "other_day", "due"] as const,
];
const BESIDE: readonly Concept[] = [...ABOUT, ...PRIVACY_WORDS];
const LONGEST_STAGE = 60;

/**
 * The stage that a column names, as a release has it; null: it names none.
 *
 * ```ts
 * if (stageOf("Beta date") !== "Beta" || stageOf("End of life") !== "End of life") throw new Error();
 * if (stageOf("Beta start") !== null || stageOf("Release date") !== null) throw new Error();
 * ```
 */
export function stageOf(column: string): string | null {
  const name = withoutRemark(bareName(column));
  const hints = hintsOf(name);
  const says = (concepts: readonly Concept[]) => concepts.some((concept) => hints.has(concept));
  const isStage = says(["available_day"]) || says(STAGES) && !says(WORK_DAYS);
  if (!isStage || says(BESIDE) || hintsOf(column).has("private")) return null;
  const stage = tidyText(name.replace(/[ _]date$/i, ""));
  return stage === "" || stage.length > LONGEST_STAGE ? null : stage;
}

/**
 * The ways to name dates: their names, and what any language calls a stage that one of them names.
 *
 * ```ts
 * const ways = waysOfStages(["Preview", "Go live"]);
 * if (ways.get("vorschau") !== "Preview" || ways.get("Go live") !== "Go live") throw new Error();
 * if (waysOfStages(["Vorschau ab"]).get("preview") !== "Vorschau ab") throw new Error();
 * if (waysOfStages(["Public preview", "Private preview"]).has("preview")) throw new Error();
 * ```
 */
export function waysOfStages(names: readonly string[]): Map<string, string> {
  const ways = new Map(names.map((name) => [name, name]));
  for (const stage of STAGES) {
    const near = names.filter((name) => hintsOf(name).has(stage));
    const named = near.length === 1 ? near[0] : near.find((name) => meaningsOf(name).has(stage));
    // Of "Public preview" and "Private preview", "preview" names neither.
    if (named === undefined) continue;
    for (const way of phrasesOf(stage)) if (!ways.has(way)) ways.set(way, named);
  }
  return ways;
}

/**
 * Whether a day of this name is a promise that may be published by itself: none of the work, and
 * nothing private.
 *
 * ```ts
 * if (!isPublicDay("Preview") || !isPublicDay("GA")) throw new Error();
 * if (isPublicDay("created") || isPublicDay("Beta start") || isPublicDay("Private date")) throw new Error();
 * ```
 */
export function isPublicDay(name: string): boolean {
  const hints = hintsOf(name);
  const says = (concepts: readonly Concept[]) => concepts.some((concept) => hints.has(concept));
  return (says(["available_day"]) || !says(WORK_DAYS)) && !says(PRIVACY_WORDS);
}

/** How much the words of a name speak for a field; below 0: they say that it is something else. */
export function weightFor(field: FieldName, name: string): number {
  const bare = bareName(name);
  const hints = hintsOf(withoutRemark(bare));
  const against = (AGAINST[field] ?? []).map((concept) => hints.get(concept) ?? 0);
  // What is said behind a name speaks against it only: "Release date (internal)".
  const isSecret = hintsOf(bare).has("private") && !hints.has("private");
  const speaking = [...WORDS[field] ?? [], ...HOPES[field] ?? []].map(([concept, weight]) =>
    weight * (hints.get(concept) ?? 0)
  );
  return Math.max(0, ...speaking) - Math.max(0, ...against) * 9 - (isSecret ? 1 : 0);
}

/** The field that a name is, or sounds like. */
export function likelyField(name: string): FieldName | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const fields = Object.keys(AGAINST) as FieldName[];
  return knownColumn(name)?.field ?? fields.find((field) => weightFor(field, name) >= 2);
}

const LONGEST_NAME = 40;

/**
 * The name of a column without what is said about it.
 *
 * ```ts
 * if (withoutRemark("Due date (YYYY-MM-DD) *") !== "Due date") throw new Error();
 * if (withoutRemark("Custom field (Target end)") !== "Target end") throw new Error();
 * ```
 */
export function withoutRemark(name: string): string {
  const inner = /^\s*custom field \((.{1,200})\)\s*$/i.exec(name)?.[1] ?? name;
  return inner.replace(/\([^()]*\)|\[[^[\]]*\]/g, " ").replace(/(?<![\s*:])[\s*:]+$/, "")
    .replace(/\s+/g, " ").trim() || inner;
}

/** Whether a column has the names of versions or milestones, which are dates at times. */
export function namesVersions(column: string): boolean {
  return meaningsOf(column).has("version") || /^releases?$/.test(plainName(column));
}

/**
 * The columns that count where one is empty: a title of a tree that is a level lower, and in Linear
 * the team of an issue without a project.
 */
export function nextColumns(column: string, names: readonly string[]): string[] {
  const [, title] = FIRST_LEVEL.exec(plainName(column)) ?? [];
  if (title !== undefined) {
    return names.filter((name) => new RegExp(`^${title} [2-9]$`).test(plainName(name)));
  }
  const has = (wanted: string) => names.filter((name) => plainName(name) === wanted);
  return means(column, "project") && has("cycle name").length > 0 ? has("team") : [];
}

const FIRST_LEVEL = /^(.+) 1$/;
