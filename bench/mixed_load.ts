import { type DrawnRequest, drawRequest, listSearches, seedRandom } from "./scale_requests.ts";

const SEED = 20_261;
/** How long a client that searches waits between two searches, at least. */
const SEARCH_MS = 1_000;
const HEAD_BYTES = 64 * 1024;

/** Readers that send one request after the other, and clients that search now and then. */
export interface MixedLoad {
  readonly port: number;
  readonly milliseconds: number;
  readonly readers: number;
  readonly searchers: number;
  /** The releases whose pages are read. */
  readonly ids: readonly string[];
}

/** What became of one request; times in milliseconds from the start of the load. */
export interface Answered {
  readonly kind: string;
  readonly path: string;
  readonly sentAt: number;
  readonly took: number;
  /** 0: the connection broke. */
  readonly status: number;
  /** Answered by the cache of nginx. */
  readonly isFromEdge: boolean;
}

/** Loads nginx until the time is over. */
export async function runMixedLoad(load: MixedLoad): Promise<Answered[]> {
  const answers: Answered[] = [];
  const random = seedRandom(SEED);
  const searches = listSearches();
  const tags = new Map<string, string>();
  const started = performance.now();
  const now = () => performance.now() - started;

  async function send(client: Client, { kind, path, isConditional }: DrawnRequest): Promise<void> {
    const tag = isConditional ? tags.get(path) : undefined;
    const sentAt = now();
    const { status, headers } = await client.send(writeRequest(path, tag));
    if (headers.has("etag")) tags.set(path, headers.get("etag")!);
    const isFromEdge = ["HIT", "STALE", "UPDATING"].includes(headers.get("x-edge-cache") ?? "");
    answers.push({ kind, path, sentAt, took: now() - sentAt, status, isFromEdge });
  }

  async function read(): Promise<void> {
    using client = new Client(load.port);
    while (now() < load.milliseconds) await send(client, drawRequest(random, load.ids));
  }

  async function search(): Promise<void> {
    using client = new Client(load.port);
    while (now() < load.milliseconds && searches.length > 0) {
      const next = now() + SEARCH_MS;
      await send(client, searches.splice(Math.floor(random() * searches.length), 1)[0]!);
      const pause = Math.min(next, load.milliseconds) - now();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  await Promise.all([
    ...Array.from({ length: load.readers }, read),
    ...Array.from({ length: load.searchers }, search),
  ]);
  return answers;
}

/** What a browser or a feed reader sends. */
function writeRequest(path: string, tag: string | undefined): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: roadcast-bench\r\nAccept: */*\r\n` +
      `Accept-Encoding: gzip, br\r\n${tag ? `If-None-Match: ${tag}\r\n` : ""}\r\n`,
  );
}

/** One keep-alive connection. */
class Client implements Disposable {
  #connection: Deno.TcpConn | null = null;
  readonly #buffer = new Uint8Array(HEAD_BYTES);

  constructor(private readonly port: number) {}

  /** Sends a request and reads the whole answer; of a broken connection the status is 0. */
  async send(request: Uint8Array): Promise<{ status: number; headers: Map<string, string> }> {
    try {
      this.#connection ??= await Deno.connect({ hostname: "127.0.0.1", port: this.port });
      await this.#connection.write(request);
      const answer = await this.#read(this.#connection);
      if (answer.headers.get("connection") === "close") this.#close();
      return answer;
    } catch {
      this.#close();
      return { status: 0, headers: new Map() };
    }
  }

  /** The length of the body is given (RFC 9112, section 6.3), or there is none. */
  async #read(connection: Deno.TcpConn): Promise<{ status: number; headers: Map<string, string> }> {
    let filled = 0;
    let end = -1;
    while (end < 0) {
      filled += await this.#fill(connection, filled);
      end = new TextDecoder("latin1").decode(this.#buffer.subarray(0, filled)).indexOf("\r\n\r\n");
    }
    const head = new TextDecoder("latin1").decode(this.#buffer.subarray(0, end));
    const [first, ...lines] = head.split("\r\n");
    const headers = new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const status = Number(first!.slice(9, 12));
    const length = headers.get("content-length");
    if (length === undefined && status !== 304) throw new Error(`No length: ${head}`);
    let left = status === 304 ? 0 : end + 4 + Number(length) - filled;
    while (left > 0) left -= await this.#fill(connection, 0);
    return { status, headers };
  }

  async #fill(connection: Deno.TcpConn, from: number): Promise<number> {
    const count = await connection.read(this.#buffer.subarray(from));
    if (count === null) throw new Error("The connection was closed");
    return count;
  }

  #close(): void {
    try {
      this.#connection?.close();
    } catch {
      // It is closed already.
    }
    this.#connection = null;
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
