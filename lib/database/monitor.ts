import { SingleFlight } from "../work/async.ts";
import { type Connection, type Database, DatabaseBusy } from "./database.ts";

/** Whether the database answered: in time, not in time, or not at all. */
export type DatabaseState = "ok" | "busy" | "away";

/** What was read, or the last known value if the database does not answer; null: never read. */
export interface Inspected<Result> {
  database: DatabaseState;
  known: Result | null;
}

/** Reports the state within a second, using the last known values if necessary. */
export class Monitor {
  readonly #asking = new SingleFlight<Inspected<unknown>>();
  readonly #known = new Map<string, unknown>();

  constructor(private readonly database: Pick<Database, "inspect">) {}

  /** Reads a value, or returns the last known one; `name` identifies it. */
  inspect<Result>(
    name: string,
    read: (connection: Connection) => Promise<Result>,
  ): Promise<Inspected<Result>> {
    return this.#asking.run(name, () => this.#read(name, read)) as Promise<Inspected<Result>>;
  }

  async #read(
    name: string,
    read: (connection: Connection) => Promise<unknown>,
  ): Promise<Inspected<unknown>> {
    let database: DatabaseState = "ok";
    try {
      this.#known.set(name, await this.database.inspect(read));
    } catch (error) {
      database = error instanceof DatabaseBusy ? "busy" : "away";
    }
    return { database, known: this.#known.get(name) ?? null };
  }
}
