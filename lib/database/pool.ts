import type { Caller } from "../work/cancellation.ts";
import { FairSemaphore, type Release } from "../work/fair_semaphore.ts";
import { DatabaseBusy } from "./database.ts";

/**
 * Half of a request's time limit: one that waited longer would hardly be served in time, and under
 * sustained load none would.
 */
const MAX_WAIT_MS = 5_000;

/**
 * Lends each member to one borrower at a time; the others wait in a bounded queue, which serves
 * clients in turn, and none gets the last member beyond a third of them.
 */
export class Pool<Member> {
  #free: Member[];
  readonly #lent = new Map<Member, Release>();
  readonly #turns: FairSemaphore;

  constructor(members: readonly Member[], maxWaiting: number) {
    this.#free = [...members];
    this.#turns = new FairSemaphore({
      capacity: members.length,
      share: Math.ceil(members.length / 3),
      reserve: 1,
      maxWaiting,
      timeoutMs: MAX_WAIT_MS,
      busy: () => new DatabaseBusy("Too many requests are waiting for the database"),
    });
  }

  /**
   * Borrows a member, at once if one is free. Without a caller, for a job, the queue is unbounded.
   *
   * @throws {DatabaseBusy} if too many wait, or after 5 s; the signal's reason when it is aborted
   */
  take(caller?: Caller): Member | Promise<Member> {
    const turn = this.#turns.acquire(caller ?? {});
    return turn instanceof Promise ? turn.then((release) => this.#lend(release)) : this.#lend(turn);
  }

  /** Returns a member; another one may replace it. */
  give(member: Member, replacement: Member = member): void {
    const release = this.#lent.get(member)!;
    this.#lent.delete(member);
    this.#free.push(replacement);
    release();
  }

  /** Replaces all members, and rejects all waiting borrowers. */
  reset(members: readonly Member[], error: unknown): void {
    this.#turns.failAll(error);
    this.#free = [...members];
    const releases = [...this.#lent.values()];
    this.#lent.clear();
    for (const release of releases) release();
  }

  #lend(release: Release): Member {
    // The most recently returned one has the warmest caches.
    const member = this.#free.pop()!;
    this.#lent.set(member, release);
    return member;
  }
}
