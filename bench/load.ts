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
  latencies: Float64Array;
}

const HEAD_END = [13, 10, 13, 10]; // "\r\n\r\n"
const latin1 = new TextDecoder("latin1");

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
      await readAnswer(connection, buffer, load.status);
      latencies.push(performance.now() - sent);
    }
  }

  await Promise.all(Array.from({ length: load.connections }, useConnection));
  return { milliseconds: performance.now() - started, latencies: Float64Array.from(latencies) };
}

/** Reads one response to its end, given by its Content-Length. */
async function readAnswer(
  connection: Deno.Conn,
  buffer: Uint8Array,
  status: number,
): Promise<void> {
  let filled = 0;
  let total = Infinity;
  let read = 0;
  while (read < total) {
    const space = total === Infinity ? buffer.subarray(filled) : buffer;
    const count = await connection.read(space);
    if (count === null) throw new Error("The server closed the connection");
    read += count;
    if (total !== Infinity) continue;
    filled += count;
    const headEnd = findHeadEnd(buffer.subarray(0, filled));
    if (headEnd === -1) continue;
    const head = latin1.decode(buffer.subarray(0, headEnd));
    if (Number(head.slice(9, 12)) !== status) throw new Error(`Unexpected answer: ${head}`);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    if (!length && status === 200) throw new Error(`An answer without a length: ${head}`);
    total = headEnd + (length && status !== 304 ? Number(length[1]) : 0);
  }
}

/** Where the head of a response ends, or -1. */
function findHeadEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at !== -1; at = bytes.indexOf(13, at + 1)) {
    if (HEAD_END.every((byte, index) => bytes[at + index] === byte)) return at + HEAD_END.length;
  }
  return -1;
}
