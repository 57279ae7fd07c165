import { parentPort, Worker } from "node:worker_threads";

/** The work needed more memory or time than it may. */
export class WorkerLimitError extends Error {}

/** The module failed as nobody expected; the message is for developers, and so is the stack. */
export class WorkerFailure extends Error {
  constructor(message: string, override readonly stack: string) {
    super(message);
  }
}

interface WorkerLimits {
  /** The heap, in megabytes; `--max-old-space-size` of the process takes precedence. */
  heapMb: number;
  /** How long it may work, without the time in which it waits for an answer. */
  seconds: number;
  signal?: AbortSignal;
}

/** How the owner of a worker answers what it asks meanwhile. */
type AnswerQuestion = (question: unknown) => Promise<unknown>;

/** A message of a worker: what it asks, or what has become of its work. */
type WorkerMessage = { question: unknown } | { output: unknown } | { error: string; stack: string };
/** A message to a worker: its work, or the answer to its question. */
type OwnerMessage = { input: unknown } | { answer: unknown } | { failure: string };

/**
 * A message on its way. Deno 2.9 looks for ports in every field of what a thread receives, and each
 * byte of an array is a field: 20 MB take seconds and a gigabyte. It does not look into maps.
 */
type Packed<Message> = Map<"message", Message>;

/** So long a worker waits for more work: to start one takes a third of a second. */
const IDLE_MS = 20_000;
const idle = new Map<string, { worker: Worker; timer: ReturnType<typeof setTimeout> }>();

/**
 * Runs a module in a worker with a memory and a time limit, and returns what it makes of the input
 * (see `serveWork`). For parsers that hostile input can make slow or large, which must not take the
 * process with them.
 *
 * @throws {WorkerLimitError} that says which limit was reached
 */
export async function runInWorker<Output>(
  module: URL,
  input: unknown,
  { heapMb, seconds, signal }: WorkerLimits,
  answer?: AnswerQuestion,
): Promise<Output> {
  signal?.throwIfAborted();
  const worker = takeIdle(module, heapMb) ??
    new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: heapMb } });
  const ended = Promise.withResolvers<Output>();
  const clock = new WorkClock(
    seconds,
    () => ended.reject(new WorkerLimitError(`takes more than ${seconds} s`)),
  );
  const reply = async (question: unknown) => {
    clock.stop();
    const message: OwnerMessage = await answer!(question)
      .then((answer) => ({ answer }), (error) => ({ failure: String(error?.message ?? error) }));
    clock.start();
    worker.postMessage(pack(message));
  };
  worker.on("message", (packed: Packed<WorkerMessage>) => {
    const message = unpack(packed);
    if ("question" in message) reply(message.question).catch(ended.reject);
    else if ("error" in message) ended.reject(new WorkerFailure(message.error, message.stack));
    else ended.resolve(message.output as Output);
  });
  worker.on("error", (error: Error & { code?: string }) => {
    const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    ended.reject(isMemory ? new WorkerLimitError("needs too much memory") : error);
  });
  worker.on("exit", () => ended.reject(new Error("The worker ended without a result")));
  const cancel = () => ended.reject(signal!.reason);
  signal?.addEventListener("abort", cancel);
  let isDone = false;
  try {
    const work: OwnerMessage = { input };
    worker.postMessage(pack(work));
    clock.start();
    const output = await ended.promise;
    isDone = true;
    return output;
  } finally {
    clock.end();
    signal?.removeEventListener("abort", cancel);
    worker.removeAllListeners();
    if (isDone) keepIdle(worker, module, heapMb);
    else await worker.terminate();
  }
}

/** Does what `runInWorker` asks of a module, one input after the other. */
export function serveWork(work: (input: unknown) => Promise<unknown>): void {
  const post = (message: WorkerMessage) => parentPort!.postMessage(pack(message));
  parentPort!.on("message", async (packed: Packed<OwnerMessage>) => {
    const message = unpack(packed);
    if (!("input" in message)) return;
    try {
      post({ output: await work(message.input) });
    } catch (error) {
      const { message = String(error), stack = message } = error as Error;
      post({ error: message, stack });
    }
  });
}

/**
 * Asks the owner of this worker, and waits for the answer.
 *
 * @throws {Error} with the message of the error that its answer was
 */
export async function askOwner<Answer>(question: unknown): Promise<Answer> {
  const answered = Promise.withResolvers<Answer>();
  const receive = (packed: Packed<OwnerMessage>) => {
    const message = unpack(packed);
    if ("answer" in message) answered.resolve(message.answer as Answer);
    else if ("failure" in message) answered.reject(new Error(message.failure));
  };
  parentPort!.on("message", receive);
  try {
    parentPort!.postMessage(pack({ question }));
    return await answered.promise;
  } finally {
    parentPort!.off("message", receive);
  }
}

function pack<Message>(message: Message): Packed<Message> {
  return new Map([["message", message]]);
}

function unpack<Message>(packed: Packed<Message>): Message {
  return packed.get("message")!;
}

function takeIdle(module: URL, heapMb: number): Worker | null {
  const key = `${module} ${heapMb}`;
  const found = idle.get(key);
  if (found === undefined) return null;
  idle.delete(key);
  clearTimeout(found.timer);
  found.worker.ref();
  return found.worker;
}

function keepIdle(worker: Worker, module: URL, heapMb: number): void {
  const key = `${module} ${heapMb}`;
  if (idle.has(key)) return void worker.terminate();
  const drop = () => {
    idle.delete(key);
    worker.terminate();
  };
  const timer = setTimeout(drop, IDLE_MS);
  Deno.unrefTimer(timer as unknown as number);
  worker.unref();
  worker.on("error", drop);
  idle.set(key, { worker, timer });
}

/** Counts the time of work, and says when it is over. */
class WorkClock {
  #leftMs: number;
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(seconds: number, private readonly onEnd: () => void) {
    this.#leftMs = seconds * 1000;
  }

  start(): void {
    if (this.#isEnded) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.onEnd, Math.max(0, this.#leftMs));
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#since;
  }

  /** An answer that is still being made does not start it again. */
  end(): void {
    this.stop();
    this.#isEnded = true;
  }
}
