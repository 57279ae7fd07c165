import { type Caller, whenAborted } from "./async.ts";

/** How places are shared out. */
interface Sharing {
  readonly capacity: number;
  /** How many of these one client gets in any case, and how many it leaves to others beyond that. */
  readonly share: number;
  readonly reserve: number;
}

/** Gives back what was acquired; it has to be called once. */
type Release = () => void;

/** Places of which no client gets all. */
export class Places {
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(private readonly sharing: Sharing) {}

  get taken(): number {
    return this.#taken;
  }

  /** Whether there is none but what is kept for clients that hold little. */
  get isFull(): boolean {
    return this.#taken >= this.sharing.capacity - this.sharing.reserve;
  }

  /** Takes one at once; null: there is none for this client. */
  take(client: string): Release | null {
    const { capacity, share } = this.sharing;
    const isSmall = this.#taken < capacity && (this.#takenBy.get(client) ?? 0) < share;
    if (this.isFull && !isSmall) return null;
    this.#count(client, 1);
    return () => this.#count(client, -1);
  }

  #count(client: string, more: 1 | -1): void {
    this.#taken += more;
    const taken = (this.#takenBy.get(client) ?? 0) + more;
    if (taken > 0) this.#takenBy.set(client, taken);
    else this.#takenBy.delete(client);
  }
}

interface FairBounds extends Sharing {
  readonly maxWaiting: number;
  /** The longest wait; absent: until the signal of the caller ends it. */
  readonly timeoutMs?: number;
  /** The error of those who wait for too long, or are too many. */
  busy(): Error;
}

interface Waiting {
  /** A job waits for however long it takes, and is never refused. */
  readonly isJob: boolean;
  admit(release: Release): void;
  fail(reason: unknown): void;
}

/**
 * A semaphore that admits clients in turn (round robin). No client gets all of it, and when too many
 * wait, the client with the most of them is refused.
 */
export class FairSemaphore {
  readonly #places: Places;
  /** Who waits, by client; the client whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(private readonly bounds: FairBounds) {
    this.#places = new Places(bounds);
  }

  get waiting(): number {
    return this.#queues.values().reduce((sum, { length }) => sum + length, 0);
  }

  /** Whether there is no room but what is kept for clients that hold little. */
  get isFull(): boolean {
    return this.#queues.size > 0 || this.#places.isFull;
  }

  /**
   * Acquires one for a caller, at once if possible.
   *
   * @throws what `busy` makes; the signal's reason when it is aborted
   */
  acquire({ client = "", signal }: Caller): Release | Promise<Release> {
    signal?.throwIfAborted();
    const release = this.#queues.size === 0 ? this.#take(client) : null;
    return release ?? this.#wait(client, signal);
  }

  failAll(reason: unknown): void {
    for (const waiting of [...this.#queues.values()].flat()) waiting.fail(reason);
  }

  async #wait(client: string, signal: Caller["signal"]): Promise<Release> {
    const { promise, resolve: admit, reject } = Promise.withResolvers<Release>();
    const fail = (reason: unknown) => (this.#leave(client, waiting), reject(reason));
    const waiting: Waiting = { isJob: signal === undefined, admit, fail };
    this.#queues.set(client, [...this.#queues.get(client) ?? [], waiting]);
    this.#admit();
    if (signal && this.waiting > this.bounds.maxWaiting) this.#refuseOne();
    const { timeoutMs, busy } = this.bounds;
    const timer = signal && timeoutMs && setTimeout(() => fail(busy()), timeoutMs);
    const stop = signal && whenAborted(signal, () => fail(signal.reason));
    return await promise.finally(() => (clearTimeout(timer), stop?.()));
  }

  /** Admits in turn for as long as there is room. */
  #admit(): void {
    for (const [client, [first]] of this.#queues) {
      const release = this.#take(client);
      if (release === null) continue;
      this.#leave(client, first!);
      first!.admit(release);
      return this.#admit();
    }
  }

  /** The client goes to the end of the round. */
  #leave(client: string, waiting: Waiting): void {
    const others = (this.#queues.get(client) ?? []).filter((other) => other !== waiting);
    this.#queues.delete(client);
    if (others.length > 0) this.#queues.set(client, others);
  }

  /** The request that came last of the client with the most of them. */
  #refuseOne(): void {
    const requests = [...this.#queues.values()]
      .map((queue) => queue.filter(({ isJob }) => !isJob))
      .reduce((most, queue) => queue.length > most.length ? queue : most, []);
    requests.at(-1)?.fail(this.bounds.busy());
  }

  #take(client: string): Release | null {
    const release = this.#places.take(client);
    return release && (() => (release(), this.#admit()));
  }
}
