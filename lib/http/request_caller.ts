import {
  type Caller,
  Cancellation,
  currentCaller,
  type Signal,
  workFor,
} from "../work/cancellation.ts";
import { DatabaseBusy } from "../database/database.ts";
import { TimeLimit } from "../work/time_limit.ts";

/** The longest time that a request waits for the database. */
const MAX_WAIT_MS = 10_000;
/** Most requests are answered by then, so it costs them nothing to notice when a client leaves. */
const QUICK_MS = 50;

const quickness = new TimeLimit(QUICK_MS);
const timeLimit = new TimeLimit(MAX_WAIT_MS - QUICK_MS);

/** The caller of a request; its time begins when the request first uses the database. */
class RequestCaller implements Caller {
  readonly #cancellation = new Cancellation();
  #stopWatching: (() => void) | undefined;
  #isAnswered = false;

  constructor(
    private readonly request: Request,
    readonly clients: readonly string[] | undefined,
  ) {}

  get signal(): Signal | undefined {
    if (this.#isAnswered) return undefined;
    this.#stopWatching ??= quickness.begin(() => this.#watch());
    return this.#cancellation;
  }

  /** Work that still runs is not needed for the response. */
  noteAnswer(): void {
    this.#isAnswered = true;
    this.#stopWatching?.();
  }

  #watch(): void {
    const { signal } = this.request;
    const endTimeLimit = timeLimit.begin(() =>
      this.#cancellation.abort(
        new DatabaseBusy(`The database did not answer within ${MAX_WAIT_MS / 1000} s`),
      )
    );
    const leave = () => this.#cancellation.abort(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    this.#stopWatching = () => {
      endTimeLimit();
      signal.removeEventListener("abort", leave);
    };
  }
}

/** Handles a request, and cancels the work when its client disconnects; see lib/work/cancellation.ts. */
export async function answerCaller<Answer = Response>(
  request: Request,
  answer: () => Answer | Promise<Answer>,
  clients = currentCaller()?.clients,
): Promise<Answer> {
  const caller = new RequestCaller(request, clients);
  try {
    return await workFor(caller, answer);
  } finally {
    caller.noteAnswer();
  }
}
