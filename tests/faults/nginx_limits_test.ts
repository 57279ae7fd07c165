import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { askFrom, hasNginx, testBehindNginx } from "../support/servers/nginx.ts";
import { sendRaw } from "../support/raw_client.ts";

const FLOOD = 500;
/** More than the limit of searches, and fewer than the limit of requests. */
const SEARCHES = 30;

if (hasNginx()) {
  testBehindNginx("nginx rejects a flood and serves other clients", async (nginx) => {
    const path = (number: number) => `/api/releases?page_size=${number % 200 + 1}`;
    const flood = Promise.all(
      Array.from({ length: FLOOD }, (_, number) =>
        sendRaw(nginx.port, {
          line: `GET ${path(number)} HTTP/1.1`,
          headers: ["Host: 127.0.0.1"],
        })),
    );
    for (let number = 0; number < 20; number++) {
      assertEquals(await askFrom("127.0.0.2", nginx, path(number)), 200);
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

  testBehindNginx("Searches have their own rate limit", async (nginx) => {
    const searches = ["/api/releases?q=", "/?page=1&view=board&", "/b/rss?%71=", "/b/mcp/?"];
    const paths = [...searches, "/api/releases?page_size="];
    const refused = await Promise.all(
      paths.map((path, number) =>
        countRefused((count) => askFrom(`127.0.1.${number + 1}`, nginx, path + count))
      ),
    );
    assertEquals(
      refused.map((count) => count >= 10),
      [true, true, true, true, false],
      `${refused}`,
    );
    assertEquals(refused.at(-1), 0);
  });

  testBehindNginx(
    "An IPv6 /48 network is one client, however its addresses are written",
    async (nginx) => {
      const countFrom = (address: (count: number) => string) =>
        countRefused(async (count) => {
          const { status } = await sendRaw(nginx.port, {
            line: `GET /api/releases?q=${count} HTTP/1.1`,
            headers: ["Host: 127.0.0.1", `X-Forwarded-For: ${address(count)}`],
          });
          return status;
        });
      const ofOne = await Promise.all([
        countFrom((count) => `2001:db8:1:${count}::1`),
        countFrom((count) => count % 2 ? `2001:db8::${count}` : `2001:db8:0:${count}:1::`),
        countFrom((count) => count % 2 ? `2001:DB8:0002::${count}` : `2001:db8:2:0:0:${count}::`),
      ]);
      assertEquals(ofOne.map((count) => count >= 10), [true, true, true], `${ofOne}`);
      const ofMany = await Promise.all([
        countFrom((count) => `2001:db8:${count + 10}::1`),
        countFrom((count) => `2001:db9:${count}::`),
        countFrom((count) => `::ffff:192.0.2.${count}`),
        countFrom((count) => `198.51.100.${count}`),
      ]);
      assertEquals(ofMany, [0, 0, 0, 0]);
    },
    { more: "set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;" },
  );
}

/** Sends searches at once, fewer than the limit of requests; returns how many are refused. */
async function countRefused(send: (count: number) => Promise<number>): Promise<number> {
  const statuses = await Promise.all(Array.from({ length: SEARCHES }, (_, count) => send(count)));
  return statuses.filter((status) => status === 429).length;
}
