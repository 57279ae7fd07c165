import { isoDate } from "../lib/text/dates.ts";
import { readAnswer } from "./http_messages.ts";

/** One client that sends requests over so many connections, one at a time on each. */
export interface FairLoad {
  readonly port: number;
  readonly client: string;
  readonly kind: Kind;
  readonly connections: number;
  readonly milliseconds: number;
  /** Requests with different numbers ask for different things. */
  readonly first: number;
}

export type Kind = "timeline" | "list" | "mcp" | "page";

/** How long each answer of status 200 took, sorted, and how many had status 503. */
export interface FairResult {
  readonly took: readonly number[];
  readonly refused: number;
}

/** Sends requests until the time is over. */
export async function runFairLoad(load: FairLoad): Promise<FairResult> {
  const took: number[] = [];
  const end = performance.now() + load.milliseconds;
  let next = load.first;
  let refused = 0;

  async function useConnection(): Promise<void> {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: load.port });
    connection.setNoDelay();
    const buffer = new Uint8Array(64 * 1024);
    while (performance.now() < end) {
      const started = performance.now();
      await connection.write(new TextEncoder().encode(write(load, next++)));
      const { status, head } = await readAnswer(connection, buffer);
      if (status !== 200 && status !== 503) throw new Error(head);
      if (status === 200) took.push(performance.now() - started);
      else refused++;
    }
  }

  await Promise.all(Array.from({ length: load.connections }, useConnection));
  return { took: took.sort((a, b) => a - b), refused };
}

function write({ kind, client }: FairLoad, number: number): string {
  const search = searchOf(number);
  const query = new URLSearchParams(search);
  const headers = `Host: localhost\r\nX-Forwarded-For: ${client}\r\n`;
  if (kind !== "mcp") {
    const path = {
      timeline: `/?view=timeline&${query}`,
      list: `/api/releases?page_size=200&${query}`,
      page: `/?${query}`,
    }[kind];
    return `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
  }
  const params = { name: "search_releases", arguments: { ...search, page_size: 50 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return `POST /mcp HTTP/1.1\r\n${headers}Content-Type: application/json\r\n` +
    `Accept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Two letters, which no index finds, and a day before all: another search for each number. */
function searchOf(number: number): { q: string; release_date_from: string } {
  const [first, last] = [number % 26, Math.floor(number / 26) % 26].map((at) =>
    String.fromCharCode(97 + at)
  );
  const day = new Date(Date.UTC(2000, 0, 1 + Math.floor(number / 676)));
  return { q: `${first}${last}`, release_date_from: isoDate(day) };
}
