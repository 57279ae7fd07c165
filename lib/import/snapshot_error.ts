import { ExpectedError } from "../expected_error.ts";
import { countOf } from "../text/phrases.ts";
import type { Removals } from "./removals_sql.ts";

/** A snapshot cannot be imported; the message is one line that says what was wrong and where. */
export class SnapshotError extends ExpectedError {
  /** What everybody may know of it: no word of the source, and nothing of where it is. */
  get inPublic(): string {
    return "the source cannot be read";
  }
}

/** Why an import failed, as everybody may know it. */
export function inPublic(error: unknown): string {
  return error instanceof SnapshotError ? error.inPublic : "the import failed";
}

/** More problems are counted, but not kept. */
const MAX_ENTRIES = 50;

/** One thing that is wrong with a source. */
export interface SnapshotProblem {
  /** The row as a spreadsheet counts it: the names of the columns are row 1. Null: not in a row. */
  row: number | null;
  /** The item, counted from 1 over the whole source. Null: it is about all of them. */
  item: number | null;
  /** The field of the interface; null: it is about the whole item. */
  field: string | null;
  /** The column of that field in the source; null if there is none. */
  column: string | null;
  /** What is wrong, and with what; the end of a sentence that begins with the place. */
  reason: string;
  /** A date that cannot be read as it is written: its text, and what it may mean. */
  date?: { text: string; readings?: readonly string[]; formats?: readonly string[] };
}

/** What is known of a problem; the rest is null. */
type GivenProblem = Partial<SnapshotProblem> & Pick<SnapshotProblem, "reason">;

/** The problems of a source: the first of them, and how many there are. */
export class ProblemList {
  readonly kept: SnapshotProblem[] = [];
  total = 0;

  add(problem: GivenProblem): void {
    this.total++;
    if (this.kept.length < MAX_ENTRIES) this.kept.push(completed(problem));
  }

  /** Problems of the whole source come first: they may explain the others. */
  addFirst(problem: GivenProblem): void {
    this.total++;
    this.kept.unshift(completed(problem));
    this.kept.length = Math.min(this.kept.length, MAX_ENTRIES);
  }
}

function completed(problem: GivenProblem): SnapshotProblem {
  return { row: null, item: null, field: null, column: null, ...problem };
}

/** A source has problems; nothing of it was stored. One problem is one line, several are a list. */
export class SnapshotProblems extends SnapshotError {
  readonly problems: readonly SnapshotProblem[];
  readonly total: number;

  constructor(shown: string, { kept, total }: Pick<ProblemList, "kept" | "total">) {
    super(total === 1 ? messageOfOne(kept[0]!, shown) : messageOfAll(kept, { shown, total }));
    this.name = "SnapshotError"; // callers may distinguish errors by name
    this.problems = kept;
    this.total = total;
  }

  override get inPublic(): string {
    return `the source has ${countOf(this.total, "problem")}`;
  }
}

/** A problem as a line: its place, then what is wrong there. */
export function describeProblem({ row, item, reason }: SnapshotProblem): string {
  if (row !== null) return `row ${row}: ${reason}`;
  return item === null ? reason : `item ${item}: ${reason}`;
}

function messageOfOne(problem: SnapshotProblem, shown: string): string {
  const isPlaced = problem.row !== null || problem.item !== null;
  return `Cannot read ${isPlaced ? "" : `${shown}: `}${describeProblem(problem)}`;
}

function messageOfAll(
  problems: readonly SnapshotProblem[],
  { shown, total }: { shown: string; total: number },
): string {
  const lines = problems.map((problem) => `  ${describeProblem(problem)}`);
  const more = total - problems.length;
  if (more > 0) lines.push(`  … and ${more} more`);
  return [`Cannot read ${shown}, it has ${total} problems:`, ...lines].join("\n");
}

/** An import would remove too much; nothing was stored. */
export class RefusedRemovals extends SnapshotError {
  override name = "SnapshotError";

  override get inPublic(): string {
    return "the import would remove too much";
  }

  constructor(message: string, readonly removals: Removals) {
    super(message);
  }

  /** The same, of a source that was read at another place before. */
  cameFrom(place: string, source: string): RefusedRemovals {
    return new RefusedRemovals(
      `${this.message}. They came from ${place}: if this is another roadmap, remove the former one ` +
        `with \`deno task sources remove ${source}\`, or use another DATA_DIR`,
      this.removals,
    );
  }

  /** The message, and what accepts the removals, in the words of where an import was asked for. */
  describe({ allow, partial }: { allow: string; partial: string }): string {
    return this.removals.total > 0
      ? `${this.message}. ${allow} accepts it anyway, ${partial} keeps missing items`
      : `${this.message}. ${allow} accepts it anyway`;
  }
}
