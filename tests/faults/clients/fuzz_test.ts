import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { testOnOneDatabase } from "../../support/fault_databases.ts";
import { makeSnapshot } from "../../support/subjects/many_items.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { runHere } from "../../support/command.ts";

const REQUESTS = 20_000;
const WARMING_UP = 4_000;
const CLIENTS = 16;
/** Cached responses, their addresses and selections may take 100 MB by the settings. */
const GROWTH_BYTES = 200 * 1024 * 1024;

const METHODS = ["GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
const PATHS = [
  "/",
  "/rss",
  "/rss.xml",
  "/atom.xml",
  "/feed.json",
  "/calendar.ics",
  "/api/releases",
  "/api/releases/history/00000000-0000-4000-8000-000000000001",
  "/api/releases/history/x",
  "/api/changelog",
  "/api/filter-options",
  "/api/subscribe",
  "/api/verify-email",
  "/verify-email",
  "/unsubscribe",
  "/health",
  "/ready",
  "/b/api/releases",
  "/b/rss",
];
const NAMES = [
  "page",
  "page_size",
  "q",
  "sort",
  "product_name",
  "release_type",
  "release_status",
  "modified_within_days",
  "release_item_id",
  "include_inactive",
  "days",
  "limit",
  "token",
  "__proto__",
  "",
];
const VALUES = [
  "",
  "1",
  "0",
  "-1",
  "200",
  "99999999999999999999",
  "1e3",
  "abc",
  "%00",
  "%ff%fe",
  "%F0%9F%98%80",
  "%ED%A0%80",
  "'; drop table items; --",
  "%25_%5C",
  "Product",
  "true",
  "last_modified",
  "release_date",
  "00000000-0000-4000-8000-000000000001",
  "x".repeat(3_000),
  "%",
  "a&b=c#d",
];
const HEADERS: [string, string[]][] = [
  ["if-none-match", ["*", '"x"', 'W/"', ",,,", "x".repeat(2_000)]],
  ["accept-encoding", ["br", "gzip;q=0", "*;q=x", "identity;q=0, *;q=0", ";;;"]],
  ["content-type", ["application/json", "text/plain", "application/x-www-form-urlencoded", "x"]],
  ["x-request-id", ["a", "x".repeat(500), "\u00e9", "a b"]],
  ["x-forwarded-for", ["1.2.3.4", "x, y", ",,,"]],
  ["if-modified-since", ["yesterday", "Sat, 21 Nov 2026 00:00:00 GMT"]],
  ["range", ["bytes=0-10", "x"]],
  ["origin", ["null", "https://example.com"]],
];
const BODIES = [
  "",
  "{}",
  "[]",
  "{",
  '{"email":1}',
  '{"email":"x@"}',
  "\0\0\0",
  "x".repeat(200_000),
];

/** Numbers that are the same in every run with the same seed (mulberry32). */
function makeRandom(seed: number): (below: number) => number {
  return (below) => {
    seed = seed + 0x6d2b79f5 | 0;
    let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 4_294_967_296 * below);
  };
}

testOnOneDatabase(
  `${REQUESTS} random requests get no 5xx and leak no memory`,
  async (settings) => {
    const file = await Deno.makeTempFile({ suffix: ".json" });
    await Deno.writeTextFile(file, makeSnapshot(300));
    assertEquals((await runHere(["import", file], settings)).code, 0);
    await Deno.remove(file);
    await using server = await startServer({
      ...settings,
      ROADMAP_VARIANT: "both",
    });
    const seed = Number(Deno.env.get("FUZZ_SEED") ?? Date.now() % 1_000_000);
    const random = makeRandom(seed);
    const statuses = new Map<number, number>();
    const failed: string[] = [];
    let sent = 0;
    async function sendUntil(count: number): Promise<void> {
      while (sent < count) {
        sent++;
        const { method, path, init } = makeRequest(random);
        const response = await fetch(server.url + path, init).catch((error) => {
          failed.push(`${method} ${path}: ${error}`);
        });
        if (!response) continue;
        await response.body?.cancel();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status >= 500) failed.push(`${method} ${path}: ${response.status}`);
      }
    }
    const sendAll = (count: number) =>
      Promise.all(Array.from({ length: CLIENTS }, () => sendUntil(count)));
    await sendAll(WARMING_UP);
    const before = await readResidentBytes(server);
    await sendAll(REQUESTS);
    const after = await readResidentBytes(server);
    const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;
    console.log(
      `seed ${seed}: ${
        [...statuses].map(([status, count]) => `${count} of ${status}`).join(", ")
      }; ` +
        `${megabytes(before)} before, ${megabytes(after)} after`,
    );
    assertEquals(failed.slice(0, 10), [], `with FUZZ_SEED=${seed}`);
    assertEquals(after - before < GROWTH_BYTES, true, `it grew by ${megabytes(after - before)}`);
  },
);

function makeRequest(random: (below: number) => number) {
  const pick = <Value>(values: readonly Value[]) => values[random(values.length)]!;
  const method = pick(METHODS);
  const query = Array.from({ length: random(4) }, () => `${pick(NAMES)}=${pick(VALUES)}`);
  const odd = random(10) === 0 ? `/${pick(VALUES)}/${pick(VALUES)}` : "";
  const path = pick(PATHS) + odd + (query.length > 0 ? `?${query.join("&")}` : "");
  const headers = new Headers();
  for (let count = random(3); count > 0; count--) {
    const [name, values] = pick(HEADERS);
    headers.set(name, pick(values));
  }
  const body = ["GET", "HEAD"].includes(method) ? undefined : pick(BODIES);
  return { method, path, init: { method, headers, body, redirect: "manual" as const } };
}

async function readResidentBytes(server: TestServer): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^roadcast_resident_bytes (\d+)$/m.exec(text)![1]);
}
