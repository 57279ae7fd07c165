import { DatabaseBusy } from "./database.ts";

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
   * Borrows a member as soon as one is free. Without a signal, that of a job, the line has no bound.
   *
   * @throws {DatabaseBusy} where too many wait already; the reason of the signal when it is aborted
   */
  async take(signal?: AbortSignal): Promise<Member> {
    signal?.throwIfAborted();
    // The one that came back last is the warmest, and those that are spare can be closed.
    const member = this.#free.pop();
    if (member !== undefined) return member;
    if (signal && this.#line.size >= this.maxWaiting) {
      throw new DatabaseBusy("Too many requests wait for the database");
    }
    return await new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.delete(waiting);
        reject(signal!.reason);
      };
      const stopListening = () => signal?.removeEventListener("abort", leave);
      const waiting: Waiting<Member> = {
        lend: (member) => (stopListening(), resolve(member)),
        fail: (error) => (stopListening(), reject(error)),
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#line.add(waiting);
    });
  }

  /** Gives a member back, or another one in its place. */
  give(member: Member): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#free.push(member);
      return;
    }
    this.#line.delete(next);
    next.lend(member);
  }

  /** Puts new members in the place of all, and sends away who waits. */
  reset(members: readonly Member[], error: unknown): void {
    const line = [...this.#line];
    this.#line.clear();
    this.#free = [...members];
    for (const waiting of line) waiting.fail(error);
  }
}
