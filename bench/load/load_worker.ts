/** Runs a load for another thread. */
import { type Load, type LoadReport, runLoad } from "./load.ts";

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
