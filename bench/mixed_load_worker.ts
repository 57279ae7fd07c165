/** Runs a mixed load on a thread of its own, so the rest of the benchmark does not disturb it. */
import { type Answered, type MixedLoad, runMixedLoad } from "./mixed_load.ts";

const worker = globalThis as unknown as {
  onmessage: (event: MessageEvent<MixedLoad>) => void;
  postMessage(answers: Answered[]): void;
};

worker.onmessage = async ({ data }) => worker.postMessage(await runMixedLoad(data));
