import type { Caller } from "../cancellation.ts";
import { workFor } from "../cancellation.ts";
import { DatabaseBusy } from "../database/database.ts";
import { TimeLimit } from "../time_limit.ts";

/** The longest time that a request waits for the database. */
const LONGEST_WAIT_MS = 10_000;
const timeLimit = new TimeLimit(LONGEST_WAIT_MS);

/** The caller of a request; its signal is created when the request first uses the database. */
class RequestCaller implements Caller {
  readonly #controller = new AbortController();
  #endTimeLimit: (() => void) | undefined;
  #isAnswered = false;

  constructor(private readonly request: Request) {}

  get signal(): AbortSignal | undefined {
    if (this.#isAnswered) return undefined;
    if (this.#endTimeLimit === undefined) {
      this.#endTimeLimit = timeLimit.begin(this.#endWait);
      if (this.request.signal.aborted) this.#leave();
      this.request.signal.addEventListener("abort", this.#leave, { once: true });
    }
    return this.#controller.signal;
  }

  /** Work that still runs is not needed for the response. */
  noteAnswer(): void {
    this.#isAnswered = true;
    if (this.#endTimeLimit === undefined) return;
    this.#endTimeLimit();
    this.request.signal.removeEventListener("abort", this.#leave);
  }

  readonly #leave = () => this.#controller.abort(this.request.signal.reason);

  readonly #endWait = () =>
    this.#controller.abort(
      new DatabaseBusy(`The database did not answer within ${LONGEST_WAIT_MS / 1000} s`),
    );
}

/** Handles a request, and cancels the work when its client disconnects; see lib/cancellation.ts. */
export async function answerCaller<Answer = Response>(
  request: Request,
  answer: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const caller = new RequestCaller(request);
  try {
    return await workFor(caller, answer);
  } finally {
    caller.noteAnswer();
  }
}
