import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { pruneSubscriptions } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { pruneRequestCounts } from "../../lib/http/clients/request_counts_sql.ts";
import { createApp } from "../../routes/app.ts";
import { startService } from "../../lib/service/start_service.ts";
import { language, speak } from "../../lib/text/messages.ts";

/** The current day in tests, unless they set another. */
export const TODAY = "2026-07-20";

/** A service on a database, with a clock that the test sets. */
export interface TestApp extends AsyncDisposable {
  /** Sends a request to the service, also from another address; the path may be a full URL. */
  fetch(path: string, init?: RequestInit, from?: string): Promise<Response>;
  /** Fetches JSON and expects status 200. */
  // deno-lint-ignore no-explicit-any
  json(path: string): Promise<any>;
  /** Serves it on a separate port, until disposed. */
  listen(): Listening;
  /** How many requests wait for new data. */
  countWaiting(): number;
  /** Responds to waiting requests at once, as a server does when it stops. */
  stopWaiting(): void;
  /** Sets the clock to an ISO time or day. */
  setClock(moment: string): void;
  advance(seconds: number): void;
  /** Sends the emails that are due, as the background job does. */
  sendMails(): Promise<void>;
  /** Starts the timers of the jobs, or of those with this name, as a server does. */
  startJobs(name?: string): Promise<void>;
  /** Removes expired data, as the background jobs do. */
  prune(): Promise<void>;
}

/** A service on a port of this machine. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** Creates a service on a database, with settings named as in the environment. */
export async function startApp(
  database: Database,
  settings: Record<string, string> = {},
): Promise<TestApp> {
  let now = new Date(`${TODAY}T12:00:00Z`);
  const spoken = language();
  const services = await startService(database, readConfig(settings), () => now);
  const app = createApp(services);
  async function fetch(path: string, init?: RequestInit, from?: string): Promise<Response> {
    const peer = from === undefined ? undefined : {
      remoteAddr: { transport: "tcp" as const, hostname: from, port: 50_000 },
    };
    return await app(new Request(new URL(path, "http://localhost:8000"), init), peer);
  }
  return {
    fetch,
    async json(path) {
      const response = await fetch(path);
      const body = await response.text();
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${body}`);
      return JSON.parse(body);
    },
    listen() {
      const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app);
      return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
    },
    countWaiting: () => services.longPolls.waiting,
    stopWaiting: () => services.longPolls.stop(),
    setClock: (moment) => now = new Date(moment),
    advance: (seconds) => now = new Date(now.getTime() + seconds * 1000),
    sendMails: async () => void await services.outbox.sendDue(),
    startJobs: (name) => services.jobs.start(name),
    async prune() {
      await pruneRequestCounts(database, now);
      await pruneSubscriptions(database, now);
    },
    async [Symbol.asyncDispose]() {
      await services.stop();
      speak(spoken);
    },
  };
}

/** Imports items, and creates a service that shows them. */
export async function serve(
  database: Database,
  items: unknown,
  settings?: Record<string, string>,
): Promise<TestApp> {
  await importItems(database, items);
  return await startApp(database, settings);
}

/** Imports items from a file, like the command, and announces the first ones as well. */
export async function importItems(
  database: Database,
  items: unknown,
  options: Partial<ImportOptions> = {},
) {
  const text = typeof items === "string" ? items : JSON.stringify(items);
  return await importText(database, text, options, ".json");
}

/** Imports a text from a file with this extension, as `importItems` does. */
export async function importText(
  database: Database,
  text: string,
  options: Partial<ImportOptions> = {},
  suffix = ".csv",
) {
  const into = text.length < UNTIDY_LENGTH ? withoutTidying(database) : database;
  const file = await Deno.makeTempFile({ suffix });
  try {
    await Deno.writeTextFile(file, text);
    return await importLocation(into, file, { asOf: TODAY, announce: true, ...options });
  } finally {
    await Deno.remove(file);
  }
}

/** Of so short a snapshot, in characters, tidying the tables takes longer than the import. */
const UNTIDY_LENGTH = 100_000;

function withoutTidying(database: Database): Database {
  const isTidying = (text: string) => /^(vacuum|analyze) /.test(text);
  return {
    ...database,
    script: async (text) => void (isTidying(text) || await database.script(text)),
  };
}

/** An item of a snapshot; the number determines its id and its name. */
export function makeItem(
  number: number,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    release_item_id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    feature_name: `Feature ${number}`,
    release_date: "Q3 2026",
    release_type: "General availability",
    release_status: "Planned",
    product_id: "11111111-1111-4111-8111-111111111111",
    product_name: "Product",
    feature_description: "A description",
    blog_title: null,
    blog_url: null,
    last_modified: "2026-07-01",
    ...fields,
  };
}

/** Reads a page of JSON and all the following ones by their Link header (RFC 8288). */
export async function readPages<Page>(app: TestApp, path: string): Promise<Page[]> {
  const pages: Page[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const response: Response = await app.fetch(next);
    if (response.status !== 200) throw new Error(`${next} answered ${response.status}`);
    pages.push(await response.json());
    next = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return pages;
}
