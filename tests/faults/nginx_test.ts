import { deepStrictEqual as assertEquals } from "node:assert/strict";
import http from "node:http";
import { makeItem } from "../support/app.ts";
import { startCommand } from "../support/command.ts";
import { testOnOneDatabase } from "../support/fault_databases.ts";
import { hasNginx, startNginx } from "../support/nginx.ts";
import { OPERATOR_PATHS, POISONS, spell } from "../support/odd_requests.ts";
import { sendRaw } from "../support/raw_client.ts";
import { startServer, type TestServer } from "../support/server.ts";

const FLOOD = 500;

type Nginx = Awaited<ReturnType<typeof startNginx>>;

/** Tests the example of deploy/nginx.conf before one server, with two items of two products. */
function testBehindNginx(
  name: string,
  test: (nginx: Nginx, server: TestServer) => Promise<void>,
  { rate, settings: more = {} }: { rate?: string; settings?: Record<string, string> } = {},
): void {
  testOnOneDatabase(name, async (settings) => {
    const file = await Deno.makeTempFile({ suffix: ".json" });
    const items = [makeItem(1), makeItem(2, { product_name: "Other" })];
    await Deno.writeTextFile(file, JSON.stringify(items));
    assertEquals(await startCommand(["import", file], settings).ended, 0);
    await Deno.remove(file);
    await using server = await startServer({
      ...settings,
      ...more,
      ROADMAP_VARIANT: "both",
      TRUSTED_PROXIES: "1",
    });
    await using nginx = await startNginx([server.port, server.port], { rate });
    await test(nginx, server);
  });
}

const UNLIMITED = { rate: "100000r/s" };

if (hasNginx()) {
  testBehindNginx("A poisoned Host reaches no cache of nginx", async (nginx, server) => {
    for (const { line, host, address } of POISONS) {
      for (const connection of [nginx, server]) {
        await sendRaw(connection.port, { line, headers: [`Host: ${host}`] });
      }
      const plain = { line: `GET ${address} HTTP/1.1`, headers: ["Host: 127.0.0.1"] };
      const direct = await sendRaw(server.port, plain);
      const { status, body } = await sendRaw(nginx.port, plain);
      assertEquals([line, host, status], [line, host, 200]);
      assertEquals(body, direct.body);
      assertEquals(/POISONED|"total_items":0|product_name=nothing/.test(body), false);
    }
    const { status } = await sendRaw(nginx.port, {
      line: "GET /api/releases HTTP/1.1",
      headers: ["Host: elsewhere.example"],
    });
    assertEquals(status, 421);
  }, UNLIMITED);

  testBehindNginx("nginx keeps the addresses for operators inside", async (nginx) => {
    for (const site of ["", "/b", "/roadmap", "/roadmap/b"]) {
      for (const path of OPERATOR_PATHS) {
        for (const odd of [path, ...spell(path)]) {
          const { status, body } = await sendRaw(nginx.port, {
            line: `GET ${site}${odd} HTTP/1.1`,
            headers: ["Host: 127.0.0.1"],
          });
          assertEquals([site + odd, status], [site + odd, 404]);
          assertEquals(/roadcast_|"database"|"ready"/.test(body), false);
        }
      }
    }
  }, { ...UNLIMITED, settings: { BASE_URL: "https://example.com/roadmap" } });

  testBehindNginx("The longest searches come through nginx", async (nginx) => {
    for (const q of ["é".repeat(800), "😀".repeat(1_000)]) {
      const query = new URLSearchParams({ q, page: "2" });
      const response = await fetch(`${nginx.url}/api/releases?${query}`);
      assertEquals([q.length, response.status], [q.length, 200]);
      assertEquals((await response.json()).links.prev.includes("&page=1&"), true);
    }
  });

  testBehindNginx("nginx turns a flood away and serves the others", async (nginx) => {
    const path = (number: number) => `/api/releases?page_size=${number % 200 + 1}`;
    const flood = Promise.all(
      Array.from({ length: FLOOD }, (_, number) =>
        sendRaw(nginx.port, {
          line: `GET ${path(number)} HTTP/1.1`,
          headers: ["Host: 127.0.0.1"],
        })),
    );
    for (let number = 0; number < 20; number++) {
      assertEquals(await statusFrom("127.0.0.2", nginx, path(number)), 200);
    }
    const answers = await flood;
    const refused = answers.filter(({ status }) => status === 429);
    const served = answers.filter(({ status }) => status === 200);
    assertEquals(refused.length + served.length, FLOOD);
    assertEquals(served.length >= 30, true, `${served.length} were served`);
    assertEquals(refused.length >= 100, true, `${refused.length} were refused`);
    const { headers, body } = refused[0]!;
    assertEquals(headers.get("content-type"), "application/problem+json");
    assertEquals(headers.get("retry-after"), "1");
    assertEquals(headers.get("cache-control"), "no-store");
    const { title, status } = JSON.parse(body);
    assertEquals([title, status], ["Too Many Requests", 429]);
    // RFC 8058: a mail service unsubscribes for many.
    const unsubscribing = await Promise.all(Array.from({ length: 50 }, () =>
      sendRaw(nginx.port, {
        line: "POST /unsubscribe?token=x HTTP/1.1",
        headers: ["Host: 127.0.0.1", "Content-Length: 0"],
      })));
    assertEquals(new Set(unsubscribing.map(({ status }) => status)), new Set([404]));
  });

  testBehindNginx("What has not changed is answered 304 through nginx", async (nginx, server) => {
    const { data } = await (await fetch(`${server.url}/api/releases`)).json();
    const paths = ["/", `/release/${data[0].release_item_id}`, "/api/releases", "/rss"];
    for (const path of ["/changelog", ...paths, ...paths.map((path) => `/b${path}`)]) {
      const first = await fetch(`${nginx.url}${path}`);
      await first.body?.cancel();
      const headers = { "If-None-Match": first.headers.get("ETag")! };
      const again = await fetch(`${nginx.url}${path}`, { headers });
      await again.body?.cancel();
      assertEquals([path, first.status, again.status], [path, 200, 304]);
    }
  }, UNLIMITED);

  testBehindNginx("An answer that nginx kept bears the id of who asks", async (nginx) => {
    const ask = async (id: string) => {
      const { headers } = await sendRaw(nginx.port, {
        line: "GET /api/releases HTTP/1.1",
        headers: ["Host: 127.0.0.1", `X-Request-Id: ${id}`],
      });
      return [headers.get("x-edge-cache"), headers.get("x-request-id")];
    };
    assertEquals(await ask("first"), ["MISS", "first"]);
    assertEquals(await ask("second"), ["HIT", "second"]);
    const [, replaced] = await ask("x".repeat(129));
    assertEquals(/^[0-9a-f]{32}$/.test(replaced!), true, replaced!);
  });
}

/** Asks from another address of this machine. */
function statusFrom(localAddress: string, { port }: Nginx, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: "127.0.0.1", port, path, localAddress, agent: false });
    request.on("error", reject);
    request.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    });
  });
}
