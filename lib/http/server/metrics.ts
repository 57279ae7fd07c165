import { Counter, Histogram, Registry } from "prom-client";

/** The request metrics of a process, since its start. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: "roadcast_requests_total",
    help: "Responses, by route and status.",
    labelNames: ["route", "status"],
    registers: [this.registry],
    collect: () => this.#addCached(),
  });
  readonly #latencies = new Histogram({
    name: "roadcast_request_duration_seconds",
    help: "Time to build a response that was not in memory.",
    labelNames: ["route"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });
  readonly #hits = new Counter({
    name: "roadcast_memory_hits_total",
    help: "Responses served from memory.",
    registers: [this.registry],
  });
  readonly #stale = new Counter({
    name: "roadcast_stale_answers_total",
    help: "Stale responses served while a refresh runs.",
    registers: [this.registry],
  });
  /** Responses from memory since the metrics were last read, by status. */
  readonly #cached = new Map<number, number>();
  #cachedStale = 0;

  /** Counts a response from memory; cheap, as most requests end here. */
  countCached(status: number, stale: boolean): void {
    this.#cached.set(status, (this.#cached.get(status) ?? 0) + 1);
    if (stale) this.#cachedStale++;
  }

  /** Counts a response that had to be loaded or built. */
  countRouted(route: string, response: Response, seconds: number): void {
    this.#requests.inc({ route, status: response.status });
    this.#latencies.observe({ route }, seconds);
    if (response.headers.get("x-cache") === "STALE") this.#stale.inc();
  }

  #addCached(): void {
    for (const [status, count] of this.#cached) {
      this.#requests.inc({ route: "(from memory)", status }, count);
      this.#hits.inc(count);
    }
    this.#cached.clear();
    this.#stale.inc(this.#cachedStale);
    this.#cachedStale = 0;
  }
}
