import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { untilAborted } from "../work/async.ts";
import { type NamedFinding, runChecks } from "./check.ts";

/** Findings are looked for again after so long. */
const FRESH_MS = 5 * 60_000;
/** A page waits so long for the checks. */
const PATIENCE_MS = 1_500;

/** What all checks found, and when. */
export interface Findings {
  readonly at: Date;
  readonly all: readonly NamedFinding[];
}

/** What the doctor says of a running server, for pages: checks ask other servers, so rarely. */
export class Checkup {
  #last: Findings | null = null;
  #running: Promise<void> | null = null;

  constructor(
    private readonly parts: {
      readonly config: Config;
      readonly database: Database;
      readonly clock: () => Date;
    },
  ) {}

  /** The last findings, null before there are any; `isRunning`: newer ones are looked for. */
  async read(): Promise<{ findings: Findings | null; isRunning: boolean }> {
    const age = this.#last ? this.parts.clock().getTime() - this.#last.at.getTime() : Infinity;
    if (this.#running === null && !(age < FRESH_MS)) this.start();
    if (this.#running !== null) {
      await untilAborted(this.#running, AbortSignal.timeout(PATIENCE_MS)).catch(() => {});
    }
    return { findings: this.#last, isRunning: this.#running !== null };
  }

  /** Runs the checks, unless they run. */
  start(): void {
    this.#running ??= this.#run().finally(() => this.#running = null);
  }

  async #run(): Promise<void> {
    const { config, database, clock } = this.parts;
    // They load what few processes ever need.
    const { SERVER_CHECKS } = await import("./service_checks.ts");
    const all = await runChecks(SERVER_CHECKS, { config, database: Promise.resolve(database) });
    this.#last = { at: clock(), all };
  }
}
