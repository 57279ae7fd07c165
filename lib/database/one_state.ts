import { type Database, DatabaseAway } from "./database.ts";
import { type DataVersion, readDataVersion } from "./data_version.ts";

/** What changes more often while it is read is given as it is. */
const MOST_READINGS = 5;

/**
 * Answers that take several statements, each of one state of the data. The state is asked for when all
 * is read; where it is another than at the beginning, the answer is read again. An answer that only
 * needs what was read and checked before asks nothing.
 */
export class OneState {
  /** The database for requests; what is read with it counts as unchecked. */
  readonly database: Database;
  /** How many statements have begun, and how many had at the last check. */
  #begun = 0;
  #checked = { begun: 0, version: NaN };

  constructor(
    private readonly requests: Database,
    private readonly dataVersion: Pick<DataVersion, "version" | "note">,
  ) {
    this.database = {
      ...requests,
      query: (statement) => {
        this.#begun++;
        return requests.query(statement);
      },
      transaction: (work) => {
        this.#begun++;
        return requests.transaction(work);
      },
    };
  }

  /** Reads an answer, again if the data changes meanwhile. */
  async read<Result>(answer: () => Promise<Result>): Promise<Result> {
    for (let reading = 1;; reading++) {
      const { version } = this.dataVersion;
      const result = await answer();
      if (reading === MOST_READINGS || await this.#isStill(version)) return result;
    }
  }

  async #isStill(version: number): Promise<boolean> {
    const begun = this.#begun;
    if (this.#checked.begun === begun && this.#checked.version === version) return true;
    try {
      const stored = await readDataVersion(this.requests);
      if (stored !== version) {
        await this.dataVersion.note(stored);
        return false;
      }
      if (begun > this.#checked.begun) this.#checked = { begun, version };
      return true;
    } catch (error) {
      // It was there a moment ago: what it said is an answer.
      if (error instanceof DatabaseAway) return true;
      throw error;
    }
  }
}
