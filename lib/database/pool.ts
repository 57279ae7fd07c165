import { type Signal, whenAborted } from "../work/cancellation.ts";
import { TimeLimit } from "../work/time_limit.ts";
import { DatabaseBusy } from "./database.ts";

/**
 * Half of a request's time limit: one that waited longer would hardly be served in time, and under
 * sustained load none would.
 */
const LONGEST_WAIT_MS = 5_000;

interface Waiting<Member> {
  lend(member: Member): void;
  fail(error: unknown): void;
}

/** Lends each member to one borrower at a time; the others wait in a bounded queue. */
export class Pool<Member> {
  #free: Member[];
  readonly #line = new Set<Waiting<Member>>();
  readonly #timeLimit = new TimeLimit(LONGEST_WAIT_MS);

  constructor(members: readonly Member[], private readonly maxWaiting: number) {
    this.#free = [...members];
  }

  /**
   * Borrows a member, at once if one is free. Without a signal, for a job, the queue is unbounded.
   *
   * @throws {DatabaseBusy} if too many wait already, or after 5 s; the signal's reason when it is
   *   aborted
   */
  take(signal?: Signal): Member | Promise<Member> {
    signal?.throwIfAborted();
    // The most recently returned one has the warmest caches.
    const member = this.#free.pop();
    if (member !== undefined) return member;
    if (signal && this.#line.size >= this.maxWaiting) {
      throw new DatabaseBusy("Too many requests wait for the database");
    }
    return this.#wait(signal);
  }

  #wait(signal?: Signal): Promise<Member> {
    const { promise, resolve, reject } = Promise.withResolvers<Member>();
    const end = () => {
      this.#line.delete(waiting); // at once, so that nobody is lent what they do not wait for
      ends.forEach((end) => end());
    };
    const waiting: Waiting<Member> = {
      lend: (member) => (end(), resolve(member)),
      fail: (error) => (end(), reject(error)),
    };
    const giveUp = () =>
      waiting.fail(new DatabaseBusy("The queue before the database is too slow"));
    const ends = signal === undefined ? [] : [
      this.#timeLimit.begin(giveUp),
      whenAborted(signal, () => waiting.fail(signal.reason)),
    ];
    this.#line.add(waiting);
    return promise;
  }

  /** Returns a member, or a replacement. */
  give(member: Member): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#free.push(member);
      return;
    }
    next.lend(member);
  }

  /** Replaces all members, and rejects all waiting borrowers. */
  reset(members: readonly Member[], error: unknown): void {
    this.#free = [...members];
    for (const waiting of [...this.#line]) waiting.fail(error);
  }
}
