import { DatabaseBusy } from "../../database/database.ts";
import { type Caller, whenAborted, workFor } from "../../work/async.ts";

/** The longest time that a request waits for its turn and for the database. */
const MAX_WAIT_MS = 10_000;

/**
 * Does what a request of a client waits for. It is cancelled when the client disconnects, and after
 * 10 s, which begin with its first wait: a client may take longer to send what it asks.
 */
export async function answerCaller<Answer = Response>(
  request: Request,
  client: string,
  answer: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const ending = new AbortController();
  let stopWatching: (() => void) | undefined;
  let isAnswered = false;
  const caller = (): Caller => {
    if (isAnswered) return { client }; // what goes on now is nobody's
    stopWatching ??= watch(request, ending);
    return { client, signal: ending.signal };
  };
  try {
    return await workFor(caller, answer);
  } finally {
    isAnswered = true;
    stopWatching?.();
  }
}

function watch({ signal }: Request, ending: AbortController): () => void {
  const busy = () => new DatabaseBusy(`The database did not answer within ${MAX_WAIT_MS / 1000} s`);
  const timer = setTimeout(() => ending.abort(busy()), MAX_WAIT_MS);
  const stop = whenAborted(signal, () => ending.abort(signal.reason));
  return () => (clearTimeout(timer), stop());
}
