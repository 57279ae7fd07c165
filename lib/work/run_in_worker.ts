import { Worker } from "node:worker_threads";

/** The work needed more memory or time than it may. */
export class WorkerLimitError extends Error {}

/** What a worker may use. */
export interface WorkerLimits {
  /** The heap, in megabytes; `--max-old-space-size` of the process takes precedence. */
  heapMb: number;
  seconds: number;
  signal?: AbortSignal;
}

/**
 * Runs a module in a worker with a memory and a time limit, and returns the first message that it
 * posts. For parsers that hostile input can make slow or large, which must not take the process
 * with them.
 *
 * @throws {WorkerLimitError} that says which limit was reached
 */
export async function runInWorker<Output>(
  module: URL,
  input: unknown,
  { heapMb, seconds, signal }: WorkerLimits,
): Promise<Output> {
  signal?.throwIfAborted();
  const ended = Promise.withResolvers<Output>();
  const worker = new Worker(module, {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  worker.on("message", ended.resolve);
  worker.on("error", (error: Error & { code?: string }) => {
    const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    ended.reject(isMemory ? new WorkerLimitError("needs too much memory") : error);
  });
  worker.on("exit", () => ended.reject(new Error("The worker ended without a result")));
  const tooLate = () => ended.reject(new WorkerLimitError(`takes more than ${seconds} s`));
  const timer = setTimeout(tooLate, seconds * 1000);
  const cancel = () => ended.reject(signal!.reason);
  signal?.addEventListener("abort", cancel);
  try {
    return await ended.promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    await worker.terminate();
  }
}
