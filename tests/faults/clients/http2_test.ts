import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { testOnOneDatabase } from "../../support/fault_databases.ts";
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  getHeaders,
  header,
  HEADERS,
  indexedHeader,
  join,
  PING,
  preface,
  RST_STREAM,
  SETTINGS,
} from "../../support/http2_frames.ts";
import { startServer, type TestServer } from "../../support/server.ts";

/** The number of connections of one flood, and the longest time on each. */
const CONNECTIONS = 4;
const MAX_MS = 4_000;
const GROWTH_BYTES = 150 * 1024 * 1024;

/** Frames to send again and again after an optional start, by their place. */
interface Flood {
  name: string;
  start?: Uint8Array;
  frames: (place: number) => Uint8Array;
  count: number;
}

/** Streams of a client have odd numbers. */
const streamAt = (place: number) => place * 2 + 1;
const WHOLE = END_STREAM | END_HEADERS;
const CANCEL = [0, 0, 0, 8];

const FLOODS: readonly Flood[] = [
  {
    name: "streams that are reset at once (CVE-2023-44487)",
    frames: (place) =>
      join([
        frame(HEADERS, {
          flags: WHOLE,
          stream: streamAt(place),
          payload: getHeaders(`/api/releases?q=${place}`),
        }),
        frame(RST_STREAM, { stream: streamAt(place), payload: CANCEL }),
      ]),
    count: 20_000,
  },
  {
    name: "a head that never ends (CVE-2024-27316)",
    start: frame(HEADERS, { flags: END_STREAM, stream: 1, payload: getHeaders("/") }),
    frames: () => frame(CONTINUATION, { stream: 1, payload: header("x-a", "b".repeat(16_000)) }),
    count: 4_000,
  },
  {
    name: "a head that never ends and says nothing",
    start: frame(HEADERS, { flags: END_STREAM, stream: 1, payload: getHeaders("/") }),
    frames: () => frame(CONTINUATION, { stream: 1 }),
    count: 200_000,
  },
  {
    name: "heads of 60 MB in 15 KB",
    start: frame(HEADERS, {
      flags: WHOLE,
      stream: 1,
      payload: [...getHeaders("/"), ...indexedHeader("x-b", "c".repeat(3_900))],
    }),
    frames: (place) =>
      frame(HEADERS, {
        flags: WHOLE,
        stream: streamAt(place + 1),
        payload: [...getHeaders("/"), ...new Array(15_000).fill(0x80 | 62)],
      }),
    count: 50,
  },
  {
    name: "many streams with large heads that stay open",
    frames: (place) =>
      frame(HEADERS, {
        flags: END_HEADERS,
        stream: streamAt(place),
        payload: [...getHeaders("/"), ...header("x-c", "d".repeat(15_000))],
      }),
    count: 1_000,
  },
  {
    name: "pings",
    frames: () => frame(PING, { payload: new Array(8).fill(0) }),
    count: 200_000,
  },
  {
    name: "settings",
    frames: () => frame(SETTINGS, { payload: [0, 4, 0, 0, 255, 255] }),
    count: 200_000,
  },
  {
    name: "bodies of nothing",
    start: frame(HEADERS, {
      flags: END_HEADERS,
      stream: 1,
      payload: [0x83, ...getHeaders("/api/subscribe").slice(1)],
    }),
    frames: () => frame(DATA, { stream: 1 }),
    count: 200_000,
  },
];

testOnOneDatabase("HTTP/2 floods use up no memory and block no other client", async (settings) => {
  await using server = await startServer({ ...settings, LOG_REQUESTS: "off" });
  assertEquals(await isAnswered(server), true, "The frames of this test are wrong");
  const before = await readResidentBytes(server);
  for (const flood of FLOODS) {
    let isOver = false;
    const flooding = Promise.all(
      Array.from({ length: CONNECTIONS }, () => send(server, flood)),
    ).finally(() => isOver = true);
    do {
      const response = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(30_000) });
      await response.body?.cancel();
      assertEquals([flood.name, response.status], [flood.name, 200]);
    } while (!isOver);
    await flooding;
    const growth = await readResidentBytes(server) - before;
    const megabytes = Math.round(growth / 1024 / 1024);
    assertEquals(growth < GROWTH_BYTES, true, `It grew by ${megabytes} MB with ${flood.name}`);
  }
});

/** Sends a flood until it ends, or the server closes the connection or stops reading. */
async function send(
  { port }: TestServer,
  { start = new Uint8Array(), frames, count }: Flood,
): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => connection.close(), MAX_MS);
  try {
    await write(connection, join([preface(), start]));
    for (let place = 0; place < count; place += 50) {
      const batch = Array.from({ length: 50 }, (_, index) => frames(place + index));
      await write(connection, join(batch));
    }
    connection.close();
  } catch {
    // The server has closed the connection, or the time is over.
  } finally {
    clearTimeout(timer);
  }
}

/** Sends one plain request and waits for the headers of its response. */
async function isAnswered({ port }: TestServer): Promise<boolean> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const payload = [...getHeaders("/health"), ...header("x-a", "b".repeat(300))];
  await write(connection, join([preface(), frame(HEADERS, { flags: WHOLE, stream: 1, payload })]));
  let bytes: number[] = [];
  const buffer = new Uint8Array(16_384);
  for (let count; (count = await connection.read(buffer)) !== null;) {
    bytes.push(...buffer.subarray(0, count));
    while (bytes.length >= 9) {
      const [high, middle, low, type] = bytes as [number, number, number, number];
      if (type === HEADERS) return true;
      bytes = bytes.slice(9 + high * 65_536 + middle * 256 + low);
    }
  }
  return false;
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

async function readResidentBytes({ url }: TestServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^roadcast_resident_bytes (\d+)$/m.exec(text)![1]);
}
