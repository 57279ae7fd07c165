import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { ROUTES } from "../../../routes/table.ts";
import { runHere } from "../../support/command.ts";
import { testOnOneDatabase } from "../../support/fault_databases.ts";
import {
  addressOf,
  hostileItems,
  hostilePosts,
  hostileReads,
  type HostileRequest,
} from "../../support/hostile_requests.ts";
import { measureUse } from "../../support/process_use.ts";
import { readAnswer, write } from "../../support/raw_client.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { ADMIN_TOKEN, startOperatorAt } from "../../support/subjects/operator.ts";

/** The most that a request may take, whatever it is. */
const MOST = { seconds: 1, megabytes: 50 };
const SECRET = "a-bounce-secret-of-36-characters-now";
/** What has limits of its own: data of megabytes by the operator. */
const IMPORTS = ["/api/import", "/api/work"];

testOnOneDatabase(
  "No request takes more than a second of processor time or 50 MB, at any address",
  async (settings) => {
    const items = hostileItems(1_000, "old");
    await importAll(items, settings);
    await importAll(hostileItems(1_000, "new"), settings);
    await using server = await startServer({
      ...settings,
      ADMIN_TOKEN,
      BOUNCE_SECRET: SECRET,
      EMBED_ORIGINS: "https://example.com",
      INDEXNOW_URL: "https://example.com/indexnow",
      INDEXNOW_KEY: "something",
      ROADMAP_VARIANT: "both",
      BACKGROUND_JOBS: "off",
      SUBSCRIBE_LIMIT: "1000000",
    });
    const { cookie = "" } = await startOperatorAt(server);
    const worst = {
      seconds: 0,
      megabytes: 0,
      what: { seconds: "", megabytes: "" },
    };
    const failed: string[] = [];
    let sent = 0;
    for (const { path, method, ...route } of ROUTES) {
      const address = addressOf(path);
      const password = btoa(`x:${SECRET}`);
      const headers = path.startsWith("/admin")
        ? `Cookie: ${cookie}\r\n`
        : `Authorization: ${
          path.includes("bounces") ? "Basic " + password : "Bearer " + ADMIN_TOKEN
        }\r\n`;
      if (IMPORTS.includes(path)) continue;
      const requests = method === "GET"
        ? hostileReads(address, headers)
        : hostilePosts(address, headers, "actions" in route ? route.actions : []);
      // What a first request loads once is not its own.
      await send(server, requests[0]!);
      for (const request of requests) {
        const measure = () => measureUse(server.pid, () => send(server, request));
        sent++;
        let use = await measure();
        // A collection of garbage of those before may fall into it; a fault shows again.
        if (!isLittle(use)) use = await measure();
        for (const name of ["seconds", "megabytes"] as const) {
          if (use[name] > worst[name]) {
            worst[name] = use[name];
            worst.what[name] = request.what;
          }
        }
        if (!isLittle(use)) {
          failed.push(
            `${request.what}: ${use.seconds.toFixed(2)} s, ${use.megabytes.toFixed(0)} MB`,
          );
        }
        assertEquals(
          (await fetch(`${server.url}/health`)).status,
          200,
          request.what,
        );
      }
    }
    console.log(`${sent} requests; at most`, worst);
    assertEquals(failed, []);
  },
);

function isLittle(
  { seconds, megabytes }: { seconds: number; megabytes: number },
): boolean {
  return seconds < MOST.seconds && megabytes < MOST.megabytes;
}

/** Sends a request as it is written, while another client asks whether the server lives. */
async function send(
  server: TestServer,
  { what, text }: HostileRequest,
): Promise<void> {
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: server.port,
  });
  // A server may answer, and close, before it has read everything.
  const sending = write(connection, text).catch(() => {});
  const { status } = await readAnswer(connection);
  await sending;
  // The connection may be reset before the answer to a body that was refused has arrived.
  if (status >= 500 && status !== 503) throw new Error(`${what}: ${status}`);
}

async function importAll(
  items: readonly unknown[],
  settings: Record<string, string>,
): Promise<void> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, JSON.stringify(items));
  const { code, err } = await runHere(["import", file], settings);
  await Deno.remove(file);
  assertEquals([code, err], [0, ""]);
}
