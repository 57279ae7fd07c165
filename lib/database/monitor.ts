import { workDetached } from "../cancellation.ts";
import { SingleFlight } from "../single_flight.ts";
import { type Connection, type Database, DatabaseBusy } from "./database.ts";

/** Whether the database answered: in time, not in time, or not at all. */
export type DatabaseState = "ok" | "busy" | "away";

/** What was read, or read last where the database has not answered now; null: never. */
export interface Inspected<Result> {
  database: DatabaseState;
  known: Result | null;
}

/** Tells how things are within a second, from what was known last if need be. */
export class Monitor {
  readonly #asking = new SingleFlight<Inspected<unknown>>();
  readonly #known = new Map<string, unknown>();

  constructor(private readonly database: Pick<Database, "inspect">) {}

  /** Reads something, or recalls it; `name` says what it is. */
  inspect<Result>(
    name: string,
    read: (connection: Connection) => Promise<Result>,
  ): Promise<Inspected<Result>> {
    return workDetached(() => this.#asking.run(name, () => this.#read(name, read))) as Promise<
      Inspected<Result>
    >;
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
