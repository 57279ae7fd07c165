import { readAnswer } from "./http_messages.ts";

/** One load on a server: requests taken in turn over keep-alive connections, one at a time on each. */
export interface Load {
  port: number;
  /** Whole requests as they go over the wire. */
  requests: readonly string[];
  connections: number;
  /** The requests are sent once, or repeatedly for this long. */
  milliseconds: number | null;
  /** What every answer must have. */
  status: number;
}

/** The result of a load: the total time and that of each response, in milliseconds. */
export interface Measured {
  milliseconds: number;
  latencies: readonly number[];
}

/** What a worker reports of a load: its result, or why it ended early. */
export type LoadReport = { measured: Measured } | { error: string };

/** Runs a load on a thread of its own, so the rest of the benchmark does not disturb it. */
export async function runLoadOnThread(load: Load): Promise<Measured> {
  const worker = new Worker(new URL("./load_worker.ts", import.meta.url), { type: "module" });
  try {
    const report = await new Promise<LoadReport>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(load);
    });
    if ("error" in report) throw new Error(report.error);
    return report.measured;
  } finally {
    worker.terminate();
  }
}

/** Loads a server and times each response; a wrong one ends the load with an error. */
export async function runLoad(load: Load): Promise<Measured> {
  const requests = load.requests.map((request) => new TextEncoder().encode(request));
  const latencies: number[] = [];
  const started = performance.now();
  const end = load.milliseconds === null ? Infinity : started + load.milliseconds;
  let next = 0;

  async function useConnection(): Promise<void> {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: load.port });
    connection.setNoDelay();
    const buffer = new Uint8Array(64 * 1024);
    while (performance.now() < end) {
      if (load.milliseconds === null && next >= requests.length) return;
      const request = requests[next++ % requests.length]!;
      const sent = performance.now();
      await connection.write(request);
      const { status, head } = await readAnswer(connection, buffer);
      if (status !== load.status) throw new Error(`Unexpected answer: ${head}`);
      latencies.push(performance.now() - sent);
    }
  }

  await Promise.all(Array.from({ length: load.connections }, useConnection));
  return { milliseconds: performance.now() - started, latencies };
}
