import { LRUCache } from "lru-cache";
import { setImmediate } from "node:timers";
import { type Caller, whenAborted } from "./cancellation.ts";
import { TimeLimit } from "./time_limit.ts";

/**
 * The most clients remembered by when they were last served. Those forgotten count as new ones,
 * who go first, so that ever new ones cannot keep a known one waiting for ever.
 */
const MAX_ENTRIES = 500;
/** A client is alone if no other was served for this long. */
const ALONE_MS = 60_000;
/** The client of work that no client requested. */
const NOBODY: readonly string[] = [""];

/** The bounds of a semaphore. */
export interface FairBounds {
  /** The weight of all that is admitted at one time. */
  readonly capacity: number;
  /** That of what is admitted for one client: beside others, and where it is alone. */
  readonly capacityOfClient: number;
  readonly capacityAlone: number;
  readonly maxWaiting: number;
  readonly timeoutMs: number;
  /** The error of those who wait for too long, or are too many. */
  busy(): Error;
}

/** Gives back what was acquired; it has to be called once. */
export type Release = () => void;

interface Waiting {
  readonly caller: Caller | undefined;
  readonly weight: number;
  readonly isAhead: boolean;
  admit(release: Release): void;
  fail(reason: unknown): void;
}

/**
 * A weighted semaphore that admits clients in turn: next comes the one served the longest time ago.
 * No client gets all of it, and when too many wait, the client with the most of them is refused.
 */
export class FairSemaphore {
  #taken = 0;
  /** How often anybody was admitted. */
  #admitted = 0;
  readonly #takenBy = new Map<string, number>();
  #lastClient: string | undefined;
  #othersSeenAt = -Infinity;
  /** When each client was last served. */
  readonly #served = new LRUCache<string, number>({ max: MAX_ENTRIES });
  readonly #waiting = new Set<Waiting>();
  /** Whose turn may go on. */
  #continuing: string | undefined;
  readonly #timeLimit: TimeLimit;

  constructor(private readonly bounds: FairBounds) {
    this.#timeLimit = new TimeLimit(bounds.timeoutMs);
  }

  /**
   * Acquires so much for a caller, at once if possible. Without a signal, for a job, it waits for
   * however long it takes. `isAhead`: before all others.
   *
   * @throws what `busy` makes; the signal's reason when it is aborted
   */
  acquire(
    caller: Caller | undefined,
    wanted: number,
    { isAhead = false } = {},
  ): Release | Promise<Release> {
    caller?.signal?.throwIfAborted();
    const weight = Math.min(wanted, this.bounds.capacityOfClient);
    if (this.#waiting.size === 0 && this.#taken + weight <= this.bounds.capacity) {
      const client = this.#turnOf({ caller, weight, isAhead })?.client;
      if (client !== undefined) return this.#take(client, weight);
    }
    return this.#wait({ caller, weight, isAhead });
  }

  /** Refuses all who wait. */
  failAll(reason: unknown): void {
    for (const waiting of [...this.#waiting]) waiting.fail(reason);
  }

  async #wait(wanted: Pick<Waiting, "caller" | "weight" | "isAhead">): Promise<Release> {
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const waiting: Waiting = {
      ...wanted,
      admit: (release) => (this.#waiting.delete(waiting), resolve(release)),
      fail: (reason) => (this.#waiting.delete(waiting), reject(reason)),
    };
    this.#waiting.add(waiting);
    this.#admit();
    const signal = wanted.caller?.signal;
    if (signal && this.#waiting.size > this.bounds.maxWaiting) this.#refuseOne();
    const leave = (reason: unknown) => (waiting.fail(reason), this.#admit());
    const ends = signal === undefined ? [] : [
      this.#timeLimit.begin(() => leave(this.bounds.busy())),
      whenAborted(signal, () => leave(signal.reason)),
    ];
    return await promise.finally(() => ends.forEach((end) => end()));
  }

  /** Admits whose turn it is, as long as there is room; what is large is not passed by what is small. */
  #admit(): void {
    while (this.#waiting.size > 0) {
      const next = this.#next();
      if (!next || this.#taken + next.waiting.weight > this.bounds.capacity) return;
      if (next.client !== (this.#continuing ?? next.client)) return;
      next.waiting.admit(this.#take(next.client, next.waiting.weight));
    }
  }

  #next(): { waiting: Waiting; client: string } | undefined {
    let first: { waiting: Waiting; client: string; turn: number } | undefined;
    for (const waiting of this.#waiting) {
      const own = this.#turnOf(waiting);
      if (own && own.turn < (first?.turn ?? Infinity)) first = { waiting, ...own };
    }
    return first;
  }

  /** For which of a caller's clients it can be admitted first, and when; undefined: for none now. */
  #turnOf(
    { caller, weight, isAhead }: Pick<Waiting, "caller" | "weight" | "isAhead">,
  ): { client: string; turn: number } | undefined {
    let first: { client: string; turn: number } | undefined;
    for (const client of clientsOf(caller)) {
      if ((this.#takenBy.get(client) ?? 0) + weight > this.#capacityOf(client)) continue;
      const isNext = isAhead || client === this.#continuing;
      const turn = isNext ? -1 : this.#served.peek(client) ?? 0;
      if (turn < (first?.turn ?? Infinity)) first = { client, turn };
    }
    return first;
  }

  #capacityOf(client: string): number {
    const isAlone = client === (this.#lastClient ?? client) &&
      performance.now() - this.#othersSeenAt > ALONE_MS;
    return isAlone ? this.bounds.capacityAlone : this.bounds.capacityOfClient;
  }

  #take(client: string, weight: number): Release {
    if (client !== (this.#lastClient ?? client)) this.#othersSeenAt = performance.now();
    this.#lastClient = client;
    this.#count(client, weight);
    this.#served.set(client, ++this.#admitted);
    this.#continuing = undefined;
    return () => {
      this.#count(client, -weight);
      if (this.bounds.capacity === 1 && client !== NOBODY[0]) this.#letContinue(client);
      else this.#admit();
    };
  }

  /**
   * Where there is room for one only, a client with several requests in a row would wait for another
   * one before each of them. So the turn goes on with what a client requests at once, unless more of
   * it waits already.
   */
  #letContinue(client: string): void {
    const hasMore = [...this.#waiting].some(({ caller }) => clientsOf(caller).includes(client));
    if (this.#waiting.size === 0 || hasMore) return this.#admit();
    this.#continuing = client;
    setImmediate(() => {
      this.#continuing = undefined;
      this.#admit();
    });
  }

  #count(client: string, weight: number): void {
    this.#taken += weight;
    const taken = (this.#takenBy.get(client) ?? 0) + weight;
    if (taken > 0) this.#takenBy.set(client, taken);
    else this.#takenBy.delete(client);
  }

  /** Refuses the newest of the client with the most waiting, unless others wait for the same. */
  #refuseOne(): void {
    const counts = new Map<string, number>();
    for (const { caller } of this.#waiting) {
      for (const client of clientsOf(caller)) counts.set(client, (counts.get(client) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    const mayBeRefused = ({ caller, isAhead }: Waiting) =>
      caller?.signal && !isAhead && clientsOf(caller).every((one) => counts.get(one) === most);
    [...this.#waiting].findLast(mayBeRefused)?.fail(this.bounds.busy());
  }
}

function clientsOf(caller: Caller | undefined): readonly string[] {
  return caller?.clients?.length ? caller.clients : NOBODY;
}
