import { type Caller, currentCaller, type Signal, workFor } from "../../work/cancellation.ts";
import { DatabaseBusy } from "../../database/database.ts";
import { TimeLimit } from "../../work/time_limit.ts";

/** The longest time that a request waits for its turn and for the database. */
const MAX_WAIT_MS = 10_000;
/** Most requests are answered by then, so it costs them nothing to notice when a client leaves. */
const QUICK_MS = 50;

const quickness = new TimeLimit(QUICK_MS);
const timeLimit = new TimeLimit(MAX_WAIT_MS - QUICK_MS);

/** The caller of a request; its time begins with its first wait. */
class RequestCaller implements Caller {
  readonly #ending = new AbortController();
  #stopWatching: (() => void) | undefined;
  #isAnswered = false;

  constructor(private readonly request: Request, readonly client: string | undefined) {}

  /** Undefined once it is answered: work that goes on is nobody's. */
  get signal(): Signal | undefined {
    if (this.#isAnswered) return undefined;
    this.#stopWatching ??= quickness.begin(() => this.#watch());
    return this.#ending.signal;
  }

  noteAnswer(): void {
    this.#isAnswered = true;
    this.#stopWatching?.();
  }

  #watch(): void {
    const { signal } = this.request;
    const endTimeLimit = timeLimit.begin(() =>
      this.#ending.abort(
        new DatabaseBusy(`The database did not answer within ${MAX_WAIT_MS / 1000} s`),
      )
    );
    const leave = () => this.#ending.abort(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    this.#stopWatching = () => {
      endTimeLimit();
      signal.removeEventListener("abort", leave);
    };
  }
}

/** Does what a request waits for, and cancels it when its client disconnects. */
export async function answerCaller<Answer = Response>(
  request: Request,
  answer: () => Answer | Promise<Answer>,
  client = currentCaller().client,
): Promise<Answer> {
  const caller = new RequestCaller(request, client);
  try {
    return await workFor(caller, answer);
  } finally {
    caller.noteAnswer();
  }
}
