import { delay } from "../lib/work/delay.ts";
import { readAnswer, writeRequest } from "./http_messages.ts";
import { type DrawnRequest, drawRequest, listSearches } from "./scale_requests.ts";
import { seedRandom } from "./seed_random.ts";

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
    const { status, headers } = await client.send(writeRequest(path, headersWith(tag)));
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
      await delay(Math.max(0, Math.min(next, load.milliseconds) - now()));
    }
  }

  await Promise.all([
    ...Array.from({ length: load.readers }, read),
    ...Array.from({ length: load.searchers }, search),
  ]);
  return answers;
}

/** What a browser or a feed reader sends. */
function headersWith(tag: string | undefined): Record<string, string> {
  const headers = { "Host": "127.0.0.1", "Accept-Encoding": "gzip, br" };
  return tag ? { ...headers, "If-None-Match": tag } : headers;
}

/** One keep-alive connection. */
class Client implements Disposable {
  #connection: Deno.TcpConn | null = null;
  readonly #buffer = new Uint8Array(HEAD_BYTES);

  constructor(private readonly port: number) {}

  /** Sends a request and reads the whole answer; of a broken connection the status is 0. */
  async send(request: string): Promise<{ status: number; headers: Map<string, string> }> {
    try {
      this.#connection ??= await Deno.connect({ hostname: "127.0.0.1", port: this.port });
      await this.#connection.write(new TextEncoder().encode(request));
      const { status, head } = await readAnswer(this.#connection, this.#buffer);
      const headers = readHeaders(head);
      if (headers.get("connection") === "close") this.#close();
      return { status, headers };
    } catch {
      this.#close();
      return { status: 0, headers: new Map() };
    }
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

/** The headers of a response, by their names in lower case. */
function readHeaders(head: string): Map<string, string> {
  const [, ...lines] = head.split("\r\n");
  return new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
}
