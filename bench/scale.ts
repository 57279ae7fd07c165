import type { Item } from "../lib/roadmap/item.ts";
import { setTimeout as delay } from "node:timers/promises";
import { PRODUCTS, VOCABULARY } from "./data/generate_items.ts";
import { writeRequest } from "./load/http_messages.ts";
import { runLoadOnThread } from "./load/load.ts";
import { summarise } from "./measure.ts";
import { findNginx, startNginx } from "./servers/nginx.ts";
import { findFreePort, startServer, watchMemory } from "./servers/process.ts";
import { figures, titles } from "./report.ts";
import { openScratch, readSomeItems } from "./servers/scratch.ts";

/** How many servers share the database, run by run. */
const PROCESSES = [1, 4];
/** The part of the items that each import changes. */
const SHARE = 0.01;
const IMPORT_MS = 60_000;
/** How late a server may notice new data: it polls every two seconds. */
const NOTICE_MS = 3_000;
const ADMIN_TOKEN = "token-of-the-benchmark";
/** The example's limit for one client, from which the whole load comes. */
const RATE = "100000r/s";

/** What is requested all the time, and on how many connections. */
const LOADS: readonly (readonly [
  name: string,
  connections: number,
  paths: (ids: readonly string[]) => readonly string[],
])[] = [
  ["Pages", 5, () => ["/", "/changelog", "/?view=board"]],
  ["Pages with filters", 3, () => filtered("/")],
  ["Pages of a release", 3, (ids) => ids.map((id) => `/release/${id}`)],
  ["API and feeds", 3, () => ["/api/releases", "/api/changes", "/rss", "/atom.xml", "/feed.json"]],
  ["API, filters", 2, () => filtered("/api/releases")],
  ["Search, a new word", 1, listSearches],
];

/** Loads one server and then four behind nginx; true: all serve the same, and what was imported. */
export async function benchScale(
  items: number,
  { seconds, server }: { seconds: number; server: string },
): Promise<boolean> {
  if (findNginx() === null) {
    console.error("nginx is missing. Install it (Debian: apt-get install nginx) and try again");
    return false;
  }
  console.error(`Making ${items} items …`);
  await using scratch = await openScratch(items, server);
  console.log(`\n${items.toLocaleString("en")} items, ${seconds} s of load through nginx`);
  const wrong: string[] = [];
  for (const processes of PROCESSES) {
    const changed = await readSomeItems(scratch.connection, Math.ceil(items * SHARE));
    const milliseconds = seconds * 1_000;
    wrong.push(...await measureServers(processes, { scratch, items: changed, milliseconds }));
  }
  if (wrong.length > 0) console.log(wrong.join("\n"));
  return wrong.length === 0;
}

type Scratch = Awaited<ReturnType<typeof openScratch>>;

/** Prints the figures of this many servers; returns what they did wrong. */
async function measureServers(
  processes: number,
  { scratch, items, milliseconds }: { scratch: Scratch; items: Item[]; milliseconds: number },
): Promise<string[]> {
  const { ids, settings } = scratch;
  const ports = Array.from({ length: processes }, findFreePort);
  const port = findFreePort();
  const environment = {
    ...settings.service,
    ADMIN_TOKEN,
    BASE_URL: `http://127.0.0.1:${port}`,
    TRUSTED_PROXIES: "1",
  };
  await using running = new AsyncDisposableStack();
  const servers = await Promise.all(
    ports.map(async (port) =>
      running.use(await startServer({ ...environment, PORT: String(port) }))
    ),
  );
  await using _nginx = await startNginx(ports, {
    port,
    rate: RATE,
    more: "keepalive_requests 100000000;",
  });
  using memory = watchMemory(servers.map(({ pid }) => pid));
  const loading = Promise.all(LOADS.map(([, connections, paths]) =>
    runLoadOnThread({
      port,
      requests: paths(ids).map((path) => writeRequest(path, { Host: "127.0.0.1" })),
      connections,
      milliseconds,
      status: 200,
    })
  ));
  const importing = importRepeatedly(ports, { items, milliseconds });
  const [measured, imports] = await Promise.all([loading, importing]);
  console.log(titles(processes === 1 ? "One process" : `${processes} processes`));
  LOADS.forEach(([name], place) => console.log(figures(name, summarise([measured[place]!]), "")));
  console.log(
    `Imports of ${items.length} changed items: ${
      imports.map(({ seconds, noticed }) =>
        `${seconds.toFixed(1)} s, served by all ${noticed.toFixed(0)} ms later`
      ).join("; ")
    }\nMemory of a process, at most: ${memory.most.toFixed(0)} MB`,
  );
  return [...imports.flatMap(({ wrong }) => wrong), ...await compareAnswers(ports, ids)];
}

/** How long an import took, in seconds, and in milliseconds until all servers served its data. */
interface Imported {
  seconds: number;
  noticed: number;
  wrong: string[];
}

/** Imports through one server after the other, and waits until all of them serve what is new. */
async function importRepeatedly(
  ports: readonly number[],
  { items, milliseconds }: { items: readonly Item[]; milliseconds: number },
): Promise<Imported[]> {
  const every = Math.min(IMPORT_MS, milliseconds / 2);
  const started = performance.now();
  const imports: Imported[] = [];
  for (let next = every / 2; next < milliseconds; next += every) {
    await delay(Math.max(0, started + next - performance.now()));
    const number = imports.length;
    const mark = `import ${number + 1} of ${ports.length}`;
    const renamed = items.map((item) => ({ ...item, feature_name: `Renamed by ${mark}` }));
    const begun = performance.now();
    // To the server itself: the example of nginx takes no body of that size.
    const response = await fetch(
      `http://127.0.0.1:${ports[number % ports.length]}/api/import?partial=true`,
      {
        method: "POST",
        headers: { "Authorization": `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
        body: JSON.stringify(renamed),
      },
    );
    const { changed } = await response.json();
    const ended = performance.now();
    const wrong = changed === items.length ? [] : [`${mark} changed ${changed} items`];
    const path = `/api/releases?release_item_id=${items[0]!.release_item_id}`;
    for (const port of ports) {
      while (!(await readText(port, path)).includes(mark) && wrong.length === 0) {
        if (performance.now() - ended > NOTICE_MS) wrong.push(`A server did not notice ${mark}`);
      }
    }
    imports.push({ seconds: (ended - begun) / 1_000, noticed: performance.now() - ended, wrong });
  }
  return imports;
}

/** The addresses at which the servers differ. */
async function compareAnswers(ports: readonly number[], ids: readonly string[]): Promise<string[]> {
  const paths = LOADS.flatMap(([, , paths]) => paths(ids).slice(0, 5));
  const wrong: string[] = [];
  for (const path of paths) {
    const answers = await Promise.all(ports.map((port) => readText(port, path)));
    if (new Set(answers).size > 1) wrong.push(`The servers differ at ${path}`);
  }
  return wrong;
}

async function readText(port: number, path: string): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

/** Products with quarters: 70 filters. */
function filtered(path: string): string[] {
  return ["Q1 2026", "Q3 2026", "Q1 2027", "Q3 2027", ""].flatMap((quarter) =>
    PRODUCTS.map((product) =>
      `${path}?${new URLSearchParams({ product_name: product, release_date_from: quarter })}`
    )
  );
}

/** Parts of words, each another one. */
function listSearches(): string[] {
  const parts = VOCABULARY.flatMap((word) =>
    [4, 5, 6].flatMap((length) =>
      Array.from(
        { length: Math.max(0, word.length - length + 1) },
        (_, from) => word.slice(from, from + length),
      )
    )
  );
  return [...new Set(parts)].map((q) => `/api/releases?q=${q}`);
}
