import { getLogger } from "@logtape/logtape";
import type { Database } from "../../database/database.ts";
import type { ConfiguredSource, ConfiguredSources } from "./configured_sources.ts";
import type { ImportConfig } from "./scheduled_import.ts";
import { startSync, type Sync } from "./sync.ts";

const log = getLogger(["roadcast", "sync"]);

/** The schedules of all sources that the settings name; none waits for another. */
export class Schedules {
  readonly #running = new Map<string, { source: ConfiguredSource; sync: Sync }>();
  /** One change after the other. */
  #change: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly sources: ConfiguredSources,
    private readonly config: ImportConfig,
  ) {
    for (const source of sources.current) this.#start(source);
  }

  /** Resolved when each source was tried once, or another process was found importing it. */
  async firstTries(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ sync }) => sync.firstTry));
  }

  /** Reloads the sources: new ones start, changed ones restart. */
  reload(): Promise<void> {
    return this.#change = this.#change.then(() => this.#reload()).catch((error) => {
      log.error("Cannot reload the sources, keeping the current ones: {error}", {
        error: (error as Error).message,
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#change;
    await Promise.all([...this.#running.values()].map(({ sync }) => sync.stop()));
  }

  async #reload(): Promise<void> {
    if (this.#isStopped) return;
    await this.sources.reload();
    const wanted = new Map(this.sources.current.map((source) => [source.name, source]));
    const ended = [...this.#running.values()].filter(({ source }) =>
      JSON.stringify(source) !== JSON.stringify(wanted.get(source.name))
    );
    await Promise.all(ended.map(({ sync }) => sync.stop()));
    for (const { source } of ended) this.#running.delete(source.name);
    const started = [...wanted.values()].filter(({ name }) => !this.#running.has(name));
    for (const source of started) this.#start(source);
    log.info("Reloaded the sources: {started} started, {ended} stopped, {count} in total", {
      started: started.map(({ name }) => name),
      ended: ended.map(({ source }) => source.name),
      count: wanted.size,
    });
  }

  #start(source: ConfiguredSource): void {
    this.#running.set(source.name, {
      source,
      sync: startSync(this.database, source, this.config),
    });
  }
}
