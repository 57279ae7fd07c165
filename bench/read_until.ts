import { delay } from "../lib/work/delay.ts";
import { percentile } from "./percentile.ts";

/** What a client that reads all the time got; times in milliseconds. */
export interface Reads {
  count: number;
  /** How many requests were answered 503. */
  refused: number;
  p50: number;
  p99: number;
}

const PAUSE_MS = 20;

/** Requests a cached page and an uncached one, in turn, until a signal ends it. */
export async function readUntil(signal: AbortSignal, origin: string): Promise<Reads> {
  const times: number[] = [];
  let refused = 0;
  while (!signal.aborted) {
    const isNew = times.length % 2 === 1;
    const path = isNew ? `/api/releases?q=${times.length}` : "/api/releases";
    const started = performance.now();
    const response = await fetch(`${origin}${path}`);
    await response.body?.cancel();
    times.push(performance.now() - started);
    if (response.status === 503) refused++;
    await delay(PAUSE_MS);
  }
  times.sort((a, b) => a - b);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return { count: times.length, refused, p50, p99 };
}
