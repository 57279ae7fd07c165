import { DatabaseBusy } from "./database.ts";

/**
 * Half of what a request may take: whoever waited longer would hardly be served in time, and under
 * a load that lasts, nobody would.
 */
const LONGEST_WAIT_MS = 5_000;

interface Waiting<Member> {
  lend(member: Member): void;
  fail(error: unknown): void;
}

/** Lends its members to one borrower each; the others wait in line, up to a bound. */
export class Pool<Member> {
  #free: Member[];
  readonly #line = new Set<Waiting<Member>>();

  constructor(members: readonly Member[], private readonly maxWaiting: number) {
    this.#free = [...members];
  }

  /**
   * Borrows a member as soon as one is free. Without a signal, for a job, the line has no bound.
   *
   * @throws {DatabaseBusy} where too many wait already, or after 5 s; the reason of the signal when
   *   it is aborted
   */
  async take(signal?: AbortSignal): Promise<Member> {
    signal?.throwIfAborted();
    // The one that came back last is the warmest.
    const member = this.#free.pop();
    if (member !== undefined) return member;
    if (signal && this.#line.size >= this.maxWaiting) {
      throw new DatabaseBusy("Too many requests wait for the database");
    }
    return await this.#wait(signal);
  }

  #wait(signal?: AbortSignal): Promise<Member> {
    const { promise, resolve, reject } = Promise.withResolvers<Member>();
    const end = () => {
      this.#line.delete(waiting); // at once, so that nobody is lent what they do not wait for
      signal?.removeEventListener("abort", leave);
      clearTimeout(timer);
    };
    const waiting: Waiting<Member> = {
      lend: (member) => (end(), resolve(member)),
      fail: (error) => (end(), reject(error)),
    };
    const leave = () => waiting.fail(signal!.reason);
    const giveUp = () =>
      waiting.fail(new DatabaseBusy("The queue before the database is too slow"));
    const timer = signal && setTimeout(giveUp, LONGEST_WAIT_MS);
    signal?.addEventListener("abort", leave, { once: true });
    this.#line.add(waiting);
    return promise;
  }

  /** Gives a member back, or another one in its place. */
  give(member: Member): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#free.push(member);
      return;
    }
    next.lend(member);
  }

  /** Puts new members in the place of all, and sends away who waits. */
  reset(members: readonly Member[], error: unknown): void {
    this.#free = [...members];
    for (const waiting of [...this.#line]) waiting.fail(error);
  }
}
