import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { FILTER_NAMES } from "../../../lib/roadmap/filter/filter_values.ts";
import { PREFERENCE_NAMES } from "../../../lib/roadmap/filter/preference_lists.ts";
import { ROUTES } from "../../../routes/table.ts";
import { importItems } from "../../support/app.ts";
import { inDatabase, testOnOneDatabase } from "../../support/fault_databases.ts";
import { makeSnapshot } from "../../support/subjects/many_items.ts";
import { addressOf } from "../../support/hostile_requests.ts";
import { measureUse } from "../../support/process_use.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { ADMIN_TOKEN, startOperatorAt } from "../../support/subjects/operator.ts";

/** Values of one request, ten times as many each time. */
const COUNTS = [20, 200, 2_000];
/** Less than this is not measured: the processor time of a process has steps of 10 ms. */
const FLOOR_SECONDS = 0.03;
/** What one request may cost at most, however many values it has. */
const MOST_SECONDS = 0.5;

/** Lists of other surfaces, and what no page knows. */
const NAMES = [
  ...FILTER_NAMES,
  ...PREFERENCE_NAMES,
  "kind",
  "releases",
  "release_item_id",
  "of",
  "x",
];

/** A request that brings so many values. */
interface Asked {
  readonly what: string;
  readonly send: (server: TestServer, count: number) => Promise<Response>;
}

/** Each read, with many values of each parameter. */
function asksOfReads(headers: Record<string, string>): Asked[] {
  return ROUTES.filter(({ method }) => method === "GET").flatMap(({ path }) =>
    NAMES.map((name): Asked => ({
      what: `GET ${path} ${name}`,
      send: ({ url }, count) =>
        fetch(`${url}${addressOf(path)}?${fieldsOf(name, count)}`, {
          headers,
          redirect: "manual",
        }),
    }))
  );
}

/** Forms that anybody may send, with many values of each field. */
function asksOfForms(): Asked[] {
  return ["/subscribe", "/subscribe/preview", "/preferences", "/api/subscribe"]
    .flatMap((path) =>
      NAMES.map((name): Asked => ({
        what: `POST ${path} ${name}`,
        send: ({ url }, count) => {
          const body = new URLSearchParams(
            `email=ann@example.com&${fieldsOf(name, count)}`,
          );
          return fetch(url + path, {
            method: "POST",
            body,
            redirect: "manual",
          });
        },
      }))
    );
}

/** Lists in JSON: of the API, and of an assistant's tool. */
function asksOfJson(): Asked[] {
  const post = (path: string, value: unknown) => ({ url }: TestServer) =>
    fetch(url + path, {
      method: "POST",
      body: JSON.stringify(value),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
  return NAMES.flatMap((name): Asked[] => [
    {
      what: `POST /api/subscribe JSON ${name}`,
      send: (server, count) =>
        post("/api/subscribe", {
          email: "ann@example.com",
          [name]: valuesOf(count),
        })(server),
    },
    {
      what: `POST /mcp ${name}`,
      send: (server, count) => {
        const call = {
          name: "search_releases",
          arguments: { [name]: valuesOf(count) },
        };
        const message = {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: call,
        };
        return post("/mcp", message)(server);
      },
    },
  ]);
}

/** Headers that are lists. */
function asksOfHeaders(): Asked[] {
  const lists: Record<string, (count: number) => string> = {
    "accept": (count) => valuesOf(count).map((value) => `text/${value};q=0.1`).join(),
    "accept-language": (count) => valuesOf(count).map((value) => `x-${value};q=0.1`).join(),
    "accept-encoding": (count) => valuesOf(count).map((value) => `${value};q=0.1`).join(),
    "cookie": (count) => valuesOf(count).map((value) => `${value}=${value}`).join("; "),
    "if-none-match": (count) => valuesOf(count).map((value) => `"${value}"`).join(", "),
    "x-forwarded-for": (count) => Array(count).fill("192.0.2.1").join(", "),
    "authorization": (count) => `Bearer ${valuesOf(count).join(" ")}`,
  };
  return ["/", "/releases.csv", "/rss.xml", "/admin", "/api/import"].flatMap((
    path,
  ) =>
    Object.entries(lists).map(([name, listOf]): Asked => ({
      what: `GET ${path} ${name}`,
      send: ({ url }, count) => fetch(url + path, { headers: { [name]: listOf(count) } }),
    }))
  );
}

testOnOneDatabase(
  "No request is square in what it brings, at any address",
  async (settings) => {
    await using server = await startServer({
      ...settings,
      ADMIN_TOKEN,
      EMBED_ORIGINS: "https://example.com",
      ROADMAP_VARIANT: "both",
      BACKGROUND_JOBS: "off",
      SUBSCRIBE_LIMIT: "1000000",
      TRUSTED_PROXIES: "1",
    });
    await inDatabase(
      settings,
      (database) => importItems(database, makeSnapshot(30)),
    );
    const { cookie = "" } = await startOperatorAt(server);
    const all = [
      ...asksOfReads({ cookie, authorization: `Bearer ${ADMIN_TOKEN}` }),
      ...asksOfForms(),
      ...asksOfJson(),
      ...asksOfHeaders(),
    ];
    const failed: string[] = [];
    for (const asked of all) {
      let times = await measure(server, asked);
      // A collection of garbage may fall into it; what is square shows again.
      if (!isLinear(times)) times = await measure(server, asked);
      if (!isLinear(times)) {
        failed.push(`${asked.what}: ${times.join(" s, ")} s`);
      }
    }
    console.log(
      `${all.length} requests, each with ${COUNTS.join(", ")} values`,
    );
    assertEquals(failed, []);
  },
);

testOnOneDatabase(
  "An address with more than 500 parameters is refused in a sentence, before any page sees it",
  async (settings) => {
    await using server = await startServer({
      ...settings,
      BACKGROUND_JOBS: "off",
    });
    for (
      const [path, form] of [["/subscribe", "text/html"], [
        "/api/releases",
        "application/",
      ]]
    ) {
      const ask = async (count: number) => {
        const answer = await fetch(
          `${server.url}${path}?${fieldsOf("x", count)}`,
        );
        return { answer, text: await answer.text() };
      };
      assertEquals((await ask(500)).answer.status, 200);
      const { answer, text } = await ask(501);
      assertEquals(answer.status, 400);
      assertMatch(answer.headers.get("content-type")!, new RegExp(`^${form}`));
      assertMatch(text, /The address must have at most 500 parameters/);
    }
  },
);

async function measure(
  server: TestServer,
  { what, send }: Asked,
): Promise<number[]> {
  const times: number[] = [];
  for (const count of COUNTS) {
    const { seconds } = await measureUse(server.pid, async () => {
      const answer = await send(server, count);
      await answer.body?.cancel();
      if (answer.status >= 500) {
        throw new Error(`${what}, ${count}: ${answer.status}`);
      }
    });
    times.push(Math.round(seconds * 100) / 100);
  }
  return times;
}

function isLinear(times: readonly number[]): boolean {
  return times.every((seconds, place) =>
    seconds <= MOST_SECONDS &&
    seconds <= 10 * Math.max(times[place - 1] ?? MOST_SECONDS, FLOOR_SECONDS)
  );
}

/** Each another one, of the form of a tag. */
function valuesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `G:${index}`);
}

function fieldsOf(name: string, count: number): string {
  return valuesOf(count).map((value) => `${name}=${value}`).join("&");
}
