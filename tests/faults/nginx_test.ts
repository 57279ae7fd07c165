import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { makeSnapshot } from "../support/subjects/many_items.ts";
import {
  askFrom,
  hasNginx,
  startNginx,
  testBehindNginx,
  UNLIMITED,
} from "../support/servers/nginx.ts";
import { OPERATOR_PATHS, POISONS, spell } from "../support/odd_requests.ts";
import { sendRaw } from "../support/raw_client.ts";

if (hasNginx()) {
  testBehindNginx("A poisoned Host header never reaches nginx's cache", async (nginx, server) => {
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

  testBehindNginx("nginx does not expose the operator endpoints", async (nginx) => {
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

  testBehindNginx("The longest searches pass through nginx", async (nginx) => {
    for (const q of ["é".repeat(800), "😀".repeat(1_000)]) {
      const query = new URLSearchParams({ q, page: "2" });
      const response = await fetch(`${nginx.url}/api/releases?${query}`);
      assertEquals([q.length, response.status], [q.length, 200]);
      assertEquals((await response.json()).links.prev.includes("&page=1&"), true);
    }
  });

  testBehindNginx("Unchanged responses return 304 through nginx", async (nginx, server) => {
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

  testBehindNginx("A response cached by nginx has the current X-Request-Id", async (nginx) => {
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

  testBehindNginx("Equivalent Accept-Encoding values share a cached copy", async (nginx) => {
    const ask = async (spelling: string) => {
      const { headers } = await sendRaw(nginx.port, {
        line: "GET /api/releases HTTP/1.1",
        headers: ["Host: 127.0.0.1", `Accept-Encoding: ${spelling}`],
      });
      assertEquals(headers.get("vary"), "Accept-Encoding");
      return [headers.get("content-encoding"), headers.get("x-edge-cache")];
    };
    assertEquals(await ask("gzip, deflate, br, zstd"), ["br", "MISS"]);
    for (const spelling of ["br", "BR;q=0.5", "gzip;q=0.1,br ; q=1.0"]) {
      assertEquals([spelling, ...await ask(spelling)], [spelling, "br", "HIT"]);
    }
    assertEquals(await ask("gzip"), ["gzip", "MISS"]);
    assertEquals(await ask("deflate, gzip;q=0.8, br;q=0"), ["gzip", "HIT"]);
    assertEquals(await ask("identity"), [null, "MISS"]);
    assertEquals(await ask("brotli, x-gzip, br;q=0.000, gzip;q=0"), [null, "HIT"]);
  }, UNLIMITED);

  const ADMIN_TOKEN = "a-token-of-the-administrator";
  testBehindNginx("A snapshot is imported through nginx", async (nginx) => {
    const body = makeSnapshot(1_000);
    assertEquals(body.length > 256 * 1024, true);
    const send = async (token: string) => {
      const response = await fetch(`${nginx.url}/b/api/import`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Authorization": `Bearer ${token}` },
        body,
      });
      return [response.status, (await response.json()).added];
    };
    assertEquals(await send("wrong"), [401, undefined]);
    assertEquals(await send(ADMIN_TOKEN), [200, 998]);
  }, { settings: { ADMIN_TOKEN } });

  testBehindNginx("An operator signs in and uploads a file through nginx", async (nginx) => {
    const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(`${nginx.url}${path}`, { method: "POST", body, headers, redirect: "manual" });
    const signedIn = await post("/admin/sign-in", new URLSearchParams({ token: ADMIN_TOKEN }));
    assertEquals(signedIn.status, 303);
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    const form = new FormData();
    form.set("file", new File([`ID,Title\n${"1,One\n".repeat(100_000)}`], "large.csv"));
    const uploaded = await post("/admin/uploads", form, { cookie });
    assertEquals([uploaded.status, await uploaded.text()], [303, ""]);
    for (const headers of [{ cookie }, {}] as Record<string, string>[]) {
      const page = await fetch(`${nginx.url}/admin`, { headers, redirect: "manual" });
      await page.body?.cancel();
      assertEquals(page.status, headers.cookie ? 200 : 303);
      assertEquals(page.headers.get("x-edge-cache"), null);
    }
  }, { settings: { ADMIN_TOKEN } });

  testBehindNginx("No token appears in the nginx log", async (nginx) => {
    const paths = ["/verify-email", "/unsubscribe", "/preferences", "/digest", "/api/verify-email"];
    const asked = ["/rss", ...paths, ...paths.map((path) => `/b${path}/`)];
    await Promise.all(
      asked.map((path, number) =>
        Promise.all(
          Array.from({ length: 100 }, () =>
            askFrom(`127.0.2.${number + 1}`, nginx, `${path}?token=secret-of-${path}`)),
        )
      ),
    );
    const log = await nginx.readErrorLog();
    assertEquals(new Set(log.match(/secret-of-[\w/-]*/g)), new Set(["secret-of-/rss"]));
  });

  Deno.test("A busy server's 503 goes to the client, and no second server is tried", async () => {
    let asked = 0;
    const serve = () =>
      Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
        asked++;
        return new Response("busy", { status: 503, headers: { "Retry-After": "5" } });
      });
    await using first = serve();
    await using second = serve();
    await using nginx = await startNginx([first.addr.port, second.addr.port]);
    asked = 0; // the check that nginx is up was counted
    const response = await fetch(`${nginx.url}/api/releases`);
    assertEquals([response.status, await response.text(), asked], [503, "busy", 1]);
    const { status } = await sendRaw(nginx.port, { line: "GET / HTTP/1.1", headers: [] });
    assertEquals([status, asked], [400, 1], "RFC 9112, section 3.2: a request names its Host");
  });
}
