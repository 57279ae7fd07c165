/** Runs a client's load on a thread of its own, so that the other client does not disturb it. */
import { type FairLoad, type FairResult, runFairLoad } from "./fair_load.ts";

const worker = globalThis as unknown as {
  onmessage: (event: MessageEvent<FairLoad>) => void;
  postMessage(result: FairResult): void;
};

worker.onmessage = async ({ data }) => worker.postMessage(await runFairLoad(data));
