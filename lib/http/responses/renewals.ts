import { workFor } from "../../work/async.ts";

/** So many are built at one time; the other places are for what has no old answer. */
const AT_ONCE = 3;
/** A renewal that takes longer has failed. */
const RENEW_MS = 30_000;

interface Wanted {
  asked: number;
  renew: () => Promise<unknown>;
}

/** Answers that are built again while their readers get the old ones: what is asked for most comes first. */
export class Renewals {
  readonly #waiting = new Map<string, Wanted>();
  readonly #running = new Set<string>();

  /** Has an answer built again, once for all who ask for it. */
  ask(key: string, renew: () => Promise<unknown>): void {
    if (this.#running.has(key)) return;
    const asked = this.#waiting.get(key)?.asked ?? 0;
    this.#waiting.set(key, { asked: asked + 1, renew });
    this.#start();
  }

  #start(): void {
    if (this.#running.size >= AT_ONCE) return;
    const [first] = [...this.#waiting].sort(([, one], [, other]) => other.asked - one.asked);
    if (first === undefined) return;
    const [key, { renew }] = first;
    this.#waiting.delete(key);
    this.#running.add(key);
    const caller = { signal: AbortSignal.timeout(RENEW_MS), client: "renewals" };
    // Soon nobody gets the old answer any more, and whoever asks then learns of the failure.
    workFor(() => caller, renew).catch(() => {}).finally(() => {
      this.#running.delete(key);
      this.#start();
    });
  }
}
