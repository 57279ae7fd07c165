import { Problem } from "../http/responses/problem.ts";
import { AsyncCache, currentCaller } from "../work/async.ts";
import { FairSemaphore } from "../work/fair_semaphore.ts";
import { runInWorker, WorkerLimitError } from "../work/run_in_worker.ts";

/** What the worker gets. */
export interface PictureRequest {
  svg: string;
  renderer: WebAssembly.Module;
}

const WORKER = new URL("./picture_worker.ts", import.meta.url);
const RENDERER = new URL(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"));

/** What it takes on a busy machine, several times over; its WebAssembly does not count as heap. */
const LIMITS = { heapMb: 64, seconds: 10 };
const MAX_WAITING = 50;
const TIMEOUT_MS = 20_000;

/** Renders pictures outside the thread that answers, one at a time and for clients in turn. */
export class Pictures {
  /** Compiled once: what a worker compiles by itself, it compiles for each picture anew. */
  readonly #renderer = new AsyncCache<WebAssembly.Module>({ max: 1 });
  readonly #turn = new FairSemaphore({
    capacity: 1,
    share: 1,
    reserve: 0,
    maxWaiting: MAX_WAITING,
    timeoutMs: TIMEOUT_MS,
    busy,
  });

  constructor(private readonly limits = LIMITS) {}

  /**
   * Renders the SVG that is drawn when it is its turn, as PNG; null: there is none.
   *
   * @throws {Problem} 503 if too many wait, or it takes too long
   */
  async render(draw: () => Promise<string | null>): Promise<Uint8Array<ArrayBuffer> | null> {
    const release = await this.#turn.acquire(currentCaller());
    try {
      const svg = await draw();
      if (svg === null) return null;
      const renderer = await this.#renderer.get("", compileRenderer);
      const request: PictureRequest = { svg, renderer };
      return await runInWorker(WORKER, request, this.limits);
    } catch (error) {
      throw error instanceof WorkerLimitError ? busy() : error;
    } finally {
      release();
    }
  }
}

async function compileRenderer(): Promise<WebAssembly.Module> {
  return await WebAssembly.compile(await Deno.readFile(RENDERER));
}

function busy(): Problem {
  return new Problem(503, "The server draws too many pictures at the moment", {
    headers: { "Retry-After": "30" },
  });
}
