import { type Caller, TimeLimit, whenAborted } from "./async.ts";

/** The bounds of a semaphore. */
interface FairBounds {
  /** How many are admitted at one time. */
  readonly capacity: number;
  /** How many of these one client gets in any case, and how many it leaves to others beyond that. */
  readonly share: number;
  readonly reserve: number;
  readonly maxWaiting: number;
  /** The longest wait; absent: until the signal of the caller ends it. */
  readonly timeoutMs?: number;
  /** The error of those who wait for too long, or are too many. */
  busy(): Error;
}

/** Gives back what was acquired; it has to be called once. */
type Release = () => void;

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
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
  /** Who waits, by client; the client whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #timeLimit: TimeLimit | null;

  constructor(private readonly bounds: FairBounds) {
    const { timeoutMs } = bounds;
    this.#timeLimit = timeoutMs === undefined ? null : new TimeLimit(timeoutMs);
  }

  /** How many wait. */
  get waiting(): number {
    return this.#queues.values().reduce((sum, { length }) => sum + length, 0);
  }

  /** Whether there is no room but what is kept for clients that hold little. */
  get isFull(): boolean {
    return this.#queues.size > 0 || this.#taken >= this.bounds.capacity - this.bounds.reserve;
  }

  /**
   * Acquires one for a caller, at once if possible.
   *
   * @throws what `busy` makes; the signal's reason when it is aborted
   */
  acquire({ client = "", signal }: Caller): Release | Promise<Release> {
    signal?.throwIfAborted();
    const isNext = this.#queues.size === 0 && this.#hasRoomFor(client);
    return isNext ? this.#take(client) : this.#wait(client, signal);
  }

  /** Refuses all who wait. */
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
    const ends = signal === undefined ? [] : [
      this.#timeLimit?.begin(() => fail(this.bounds.busy())),
      whenAborted(signal, () => fail(signal.reason)),
    ];
    return await promise.finally(() => ends.forEach((end) => end?.()));
  }

  /** Admits in turn for as long as there is room. */
  #admit(): void {
    for (const [client, [first]] of this.#queues) {
      if (!this.#hasRoomFor(client)) continue;
      this.#leave(client, first!);
      first!.admit(this.#take(client));
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

  #hasRoomFor(client: string): boolean {
    const { capacity, share, reserve } = this.bounds;
    const free = capacity - this.#taken;
    return free > reserve || free > 0 && (this.#takenBy.get(client) ?? 0) < share;
  }

  #take(client: string): Release {
    this.#count(client, 1);
    return () => (this.#count(client, -1), this.#admit());
  }

  #count(client: string, more: 1 | -1): void {
    this.#taken += more;
    const taken = (this.#takenBy.get(client) ?? 0) + more;
    if (taken > 0) this.#takenBy.set(client, taken);
    else this.#takenBy.delete(client);
  }
}
