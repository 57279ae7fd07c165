import type { SourceKind } from "../../config/source_kinds.ts";
import {
  type DecidedTone,
  decideTone,
  foldStatus,
  type ToneHints,
  type ToneMap,
} from "../../roadmap/status_tone.ts";
import { flagOf, textOf } from "./cell_text.ts";
import { rolesOf } from "./column_names.ts";
import type { Columns } from "./columns.ts";
import { FIELD_NAMES, type Mapping, tonesOf } from "./fields.ts";
import { means } from "./lexicon.ts";
import { lookUp, lookUpFirst, type Row } from "./look_up.ts";
import type { ReadStatus } from "./table.ts";

const MAX_TONES = 1_000;
const PERCENT = /^(\d{1,3}(?:[.,]\d+)?) ?%?$/;

/** How far along the rows of a table are, as their columns, their tool and the mapping say. */
export class Statuses {
  /** Reads a text of the column of statuses. */
  readonly read: (text: string) => string;
  readonly #tones: ToneMap;
  readonly #marks: readonly string[] = [];
  readonly #reasons: readonly string[] = [];
  /** Where the source has its own category of a status. */
  readonly #categories: readonly string[] = [];
  /** The categories of statuses that mean something else in this tool than elsewhere. */
  readonly #states: ReadonlyMap<string, string> = new Map();
  readonly #counted = new Map<string, ReadStatus>();
  /** What was decided before, by the status and what its tool says of it. */
  readonly #decided = new Map<string, DecidedTone>();

  constructor(columns: Columns, mapping: Mapping, kind: SourceKind) {
    this.read = compileStatus(columns);
    this.#tones = tonesOf(mapping);
    if (!columns.byName) return;
    const used = new Set(FIELD_NAMES.map((field) => columns.originOf(field)?.column));
    this.#marks = columns.named("done")
      .filter((name) => !used.has(name) && columns.values.areFlags(name));
    this.#reasons = columns.named("reason").filter((name) => !used.has(name));
    this.#categories = findCategories(columns, mapping, kind);
    const isPivotal = ["Current State", "Accepted at"].every((name) => columns.find(name) !== null);
    if (isPivotal) this.#states = PIVOTAL_STATES;
  }

  count(status: string, row: Row | null): DecidedTone {
    const isDone = row !== null && this.#marks.some((name) => flagOf(lookUp(row, name)) === true);
    const category = isDone
      ? "done"
      : (row && textOf(lookUpFirst(row, this.#categories))) ?? this.#states.get(foldStatus(status));
    const resolution = row && this.#reasonOf(row);
    const said = JSON.stringify([status, category, resolution]);
    const decided = this.#decided.get(said) ??
      toneOf(status, { tones: this.#tones, category, resolution });
    if (this.#decided.size < MAX_TONES) this.#decided.set(said, decided);
    const key = JSON.stringify([status, decided.tone, decided.by]);
    const seen = this.#counted.get(key);
    if (seen) seen.count++;
    else this.#counted.set(key, { status, count: 1, ...decided });
    return decided;
  }

  /** Why the work on an item ended, in a word that is known; null: nothing says so. */
  #reasonOf(row: Row): string | null {
    const texts = this.#reasons.map((name) => textOf(lookUp(row, name)));
    const text = texts.find((one) => one !== null) ?? null;
    return text !== null && means(text, "unsolved") ? "Won't do" : text;
  }

  /** Those that were counted: unknown ones first, then the commonest. */
  list(): ReadStatus[] {
    const rank = ({ by }: ReadStatus) => by === "unknown" ? 0 : 1;
    return [...this.#counted.values()]
      .sort((one, other) => rank(one) - rank(other) || other.count - one.count);
  }
}

/**
 * How the texts of a column of statuses are read, where it has no words: a share of the work is a
 * percentage, and yes or no says whether it is done.
 */
function compileStatus(columns: Columns): (text: string) => string {
  const { column = null, rule = null } = columns.originOf("release_status") ?? {};
  const asItIs = (text: string) => text;
  if (column === null || rule !== null) return asItIs;
  const roles = rolesOf(column);
  if (!roles.has("progress") && !roles.has("done")) return asItIs;
  const values = columns.values.of(column);
  const shares = values.map((text) => PERCENT.exec(text)?.[1]?.replace(",", "."));
  if (shares.length > 0 && shares.every((share) => share !== undefined)) {
    const isFraction = shares.every((share) => Number(share) <= 1) &&
      !values.some((text) => text.includes("%"));
    return (text) => {
      const share = Number(PERCENT.exec(text.trim())?.[1]?.replace(",", ".") ?? NaN);
      return Number.isNaN(share) ? text : `${Math.round(share * (isFraction ? 100 : 1))}%`;
    };
  }
  if (!columns.values.areFlags(column)) return asItIs;
  return (text) => flagOf(text) === true ? "Done" : "Not done";
}

/** Where a tool says itself how far along an item is. */
function findCategories(
  columns: Columns,
  { release_status: rule }: Mapping,
  kind: SourceKind,
): string[] {
  if (rule?.tone !== undefined) return [columns.find(rule.tone) ?? rule.tone];
  const named = kind === "github" || kind === "gitlab" ? ["state"] : columns.named("category");
  const status = columns.originOf("release_status")?.column ?? null;
  const inside = status === null
    ? []
    : CATEGORIES_INSIDE.map((key) => `${status.replace(/\.name$/, "")}.${key}`);
  return [...named.map((name) => columns.find(name)).filter((name) => name !== null), ...inside];
}

/** Where a status that is an object has its category: in Jira, in Linear. */
const CATEGORIES_INSIDE = ["statusCategory.key", "category", "type"];

/** A story of Pivotal Tracker is done when it is accepted; before, it may come back. */
const PIVOTAL_STATES: ReadonlyMap<string, string> = new Map([
  ["finished", "in progress"],
  ["delivered", "in progress"],
  ["rejected", "in progress"],
  ["accepted", "done"],
]);

/** The lexicon has whole statuses of more languages than those whose words of work are known. */
function toneOf(status: string, hints: ToneHints): DecidedTone {
  const { tones } = hints;
  const decided = decideTone(status, hints);
  if (
    decided.by === "mapping" || hints.category || hints.resolution || decided.tone === "stopped"
  ) {
    return decided;
  }
  if (means(status, "unsolved")) return decideTone(status, { tones, resolution: "Won't do" });
  if (decided.by !== "unknown") return decided;
  const category = CATEGORIES.find(([concept]) => means(status, concept))?.[1];
  return category === undefined ? decided : decideTone(status, { tones, category });
}

/** What statuses of the lexicon count as; some call open what others call active. */
const CATEGORIES = [
  ["done", "done"],
  ["closed", "done"],
  ["active", "in progress"],
  ["open", "to do"],
] as const;
