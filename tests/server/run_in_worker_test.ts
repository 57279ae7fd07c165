import { rejects, strictEqual } from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { runInWorker } from "../../lib/work/run_in_worker.ts";

const MODULE = new URL("../fixtures/asking_worker.ts", import.meta.url);
const LIMITS = { heapMb: 64, seconds: 60 };

Deno.test("Work that is cancelled while its question is answered leaves no timer", async () => {
  const cancelling = new AbortController();
  const answered = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<void>();
  const work = runInWorker(MODULE, null, { ...LIMITS, signal: cancelling.signal }, () => {
    asked.resolve();
    return answered.promise;
  });
  await asked.promise;
  cancelling.abort(new Error("enough"));
  await rejects(work, { message: "enough" });

  const { setTimeout } = globalThis;
  let started = 0;
  globalThis.setTimeout = ((...words: Parameters<typeof setTimeout>) => {
    started++;
    return setTimeout(...words);
  }) as typeof setTimeout;
  answered.resolve("late");
  await setImmediate();
  globalThis.setTimeout = setTimeout;
  strictEqual(started, 0);
});
