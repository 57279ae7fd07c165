/** Bounds of the histogram of latencies, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The requests that a route answered, by how long they took. */
interface Latencies {
  /** One for each bound, and one for what took longer. */
  readonly counts: number[];
  sum: number;
}

/** What a process counts of its requests, since its start. */
export class Metrics {
  readonly #routed = new Map<string, Map<number, number>>();
  readonly #latencies = new Map<string, Latencies>();
  readonly #cached = new Map<number, number>();
  #stale = 0;

  /** Counts a response that was in memory; few additions, as most requests end here. */
  countCached(status: number, stale: boolean): void {
    this.#cached.set(status, (this.#cached.get(status) ?? 0) + 1);
    if (stale) this.#stale++;
  }

  /** Counts a response that had to be loaded or built. */
  countRouted(route: string, response: Response, seconds: number): void {
    const statuses = entry(this.#routed, route, () => new Map<number, number>());
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const latencies = entry(this.#latencies, route, () => ({
      counts: new Array(BOUNDS.length + 1).fill(0),
      sum: 0,
    }));
    const place = BOUNDS.findIndex((bound) => seconds <= bound);
    latencies.counts[place === -1 ? BOUNDS.length : place]! += 1;
    latencies.sum += seconds;
    if (response.headers.get("x-cache") === "STALE") this.#stale++;
  }

  /** The counts as families of the Prometheus text format. */
  format(): string {
    return formatFamily("roadcast_requests_total", "counter", "Answers, by route and status.", [
      ...[...this.#cached].map(([status, count]) =>
        [{ route: "(from memory)", status: String(status) }, count] as const
      ),
      ...[...this.#routed].flatMap(([route, statuses]) =>
        [...statuses].map(([status, count]) => [{ route, status: String(status) }, count] as const)
      ),
    ]) + this.#formatLatencies() +
      formatFamily("roadcast_memory_hits_total", "counter", "Answers that lay ready in memory.", [
        [{}, [...this.#cached.values()].reduce((sum, count) => sum + count, 0)],
      ]) +
      formatFamily("roadcast_stale_answers_total", "counter", "Answers from a stale copy.", [
        [{}, this.#stale],
      ]);
  }

  #formatLatencies(): string {
    const name = "roadcast_request_duration_seconds";
    const lines = [...this.#latencies].flatMap(([route, { counts, sum }]) => {
      let total = 0;
      const buckets = counts.map((count, place) => {
        total += count;
        const le = place === BOUNDS.length ? "+Inf" : String(BOUNDS[place]);
        return formatSample(`${name}_bucket`, { route, le }, total);
      });
      return [
        ...buckets,
        formatSample(`${name}_sum`, { route }, sum),
        formatSample(`${name}_count`, { route }, total),
      ];
    });
    return `${formatHead(name, "histogram", "Time to an answer that was not in memory.")}${
      lines.join("")
    }`;
  }
}

/** A family of samples in the Prometheus text format 0.0.4. */
export function formatFamily(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[],
): string {
  return formatHead(name, type, help) +
    samples.map(([labels, value]) => formatSample(name, labels, value)).join("");
}

function formatHead(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function formatSample(name: string, labels: Readonly<Record<string, string>>, value: number) {
  const pairs = Object.entries(labels).map(([label, text]) =>
    `${label}="${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`
  );
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
