import { countOf, quote } from "../../text/phrases.ts";
import { ProblemList, type SnapshotProblem } from "../snapshot_error.ts";

/** Something that was found in some rows, refuses nothing, and is said once. */
interface Noted {
  count: number;
  first: string;
  say(count: number, first: string): string;
}

/** What is to be said of a table: its problems, what was left out of it, and notes. */
export class Findings {
  readonly problems = new ProblemList();
  readonly leftOut: Record<string, number>;
  readonly #noted = new Map<string, Noted>();

  constructor(leftOut: Readonly<Record<string, number>> = {}) {
    this.leftOut = { ...leftOut };
  }

  leaveOut(reason: string): void {
    this.leftOut[reason] = (this.leftOut[reason] ?? 0) + 1;
  }

  refuse(problem: Partial<SnapshotProblem> & Pick<SnapshotProblem, "reason">): void {
    this.problems.add(problem);
  }

  /** Counts what is said of all rows in one sentence; the first value is an example. */
  note(key: string, say: Noted["say"], value = ""): void {
    const noted = this.#noted.get(key);
    if (noted) noted.count++;
    else this.#noted.set(key, { count: 1, first: value, say });
  }

  /** The notes, each a sentence without its full stop. */
  describe(): string[] {
    return [...this.#noted.values()].map(({ count, first, say }) => say(count, first));
  }
}

/** What is said of a value that cannot be read as what its column is. */
export function unreadable(column: string, { as, instead }: { as: string; instead: string }) {
  return (count: number, first: string) =>
    `${quote(column)}: ${countOf(count, "value")} cannot be read as ${as}, such as ` +
    `${quote(first)}; ${instead}`;
}
