/** Runs loads on a thread of its own, so the rest of the benchmark does not disturb them. */
import { type Load, type Measured, runLoad } from "./load.ts";

/** What a worker reports of a load: its result, or why it ended early. */
export type LoadReport = { measured: Measured } | { error: string };

const worker = globalThis as unknown as {
  onmessage: (event: MessageEvent<Load>) => void;
  postMessage(report: LoadReport): void;
};

worker.onmessage = async ({ data }) => {
  try {
    worker.postMessage({ measured: await runLoad(data) });
  } catch (error) {
    worker.postMessage({ error: String(error) });
  }
};
