import { deepStrictEqual as assertEquals, match, rejects } from "node:assert/strict";
import type { Resolve } from "../../lib/http/outgoing/checked_addresses.ts";
import { fetchChecked } from "../../lib/http/outgoing/checked_fetch.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { findFreePort } from "../support/server.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";
import { readHealth } from "../support/wait_for.ts";

const BASIC = `Basic ${btoa("me:p@ss")}`;

/** The address of a server with the name and the password of `BASIC` in it. */
function withPassword(url: string): string {
  return url.replace("http://", "http://me:p%40ss@");
}

function page(numbers: number[], next: string | null): Response {
  return Response.json({ data: numbers.map((number) => makeItem(number)), links: { next } });
}

Deno.test("A next page is read only from the origin of the source", async () => {
  await using other = serveSource(() => page([2], null));
  let next = "";
  await using server = serveSource((_request, { search }) => page([1], search ? null : next));
  const { port } = new URL(server.url);
  const refused = [
    other.url,
    `${other.url}/api/releases?token=hidden`,
    `//127.0.0.1:${new URL(other.url).port}/`,
    `https://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://127.0.0.1:${port}@127.0.0.1:${new URL(other.url).port}/`,
    "file:///etc/passwd",
    "data:application/json,[]",
  ];
  for (next of refused) {
    await rejects(drain(`${server.url}/items`), (error: Error) => {
      assertEquals(error.name, "SnapshotError");
      const { href } = new URL(next, server.url);
      const shown = href.replace("hidden", "…").replace(/127\.0\.0\.1:\d+@/, "");
      assertEquals(
        error.message,
        `Cannot read ${server.url}/items: its links.next leads to ${shown}; ` +
          `all pages must be at ${server.url}`,
      );
      return true;
    });
  }
  next = "http://[";
  await rejects(drain(`${server.url}/items`), /: its links\.next is not an address$/);
  next = `?${"x".repeat(4_000)}`;
  await rejects(drain(`${server.url}/items`), /: its links\.next is longer than 4000 characters$/);
  assertEquals(other.asked, []);
  for (next of ["?page=2", "/items?page=2", `${server.url}/items?page=2`]) {
    assertEquals(await drain(`${server.url}/items`), 2);
  }
});

testOnDatabases(
  "User name and password are sent with every page, and nowhere else",
  async (database) => {
    const seen: (string | null)[] = [];
    await using server = serveSource((request, { searchParams }) => {
      seen.push(request.headers.get("authorization"));
      const number = Number(searchParams.get("page") ?? 1);
      const next = number === 3 ? null : `http://evil:word@${request.headers.get("host")}/?page=`;
      const answer = page([number], next && next + (number + 1));
      return answer.text().then((text) => answerConditionally(request, `"${number}"`, text));
    });
    const address = withPassword(server.url);
    const read = () => importLocation(database, address, { asOf: TODAY });
    assertEquals((await read()).added, 3);
    assertEquals(seen, [BASIC, BASIC, BASIC]);
    assertEquals((await read()).unchanged, 3);
    assertEquals(seen.slice(3), [BASIC, BASIC, BASIC]);
    assertEquals(server.asked.slice(3), ["/ 304", "/?page=2 304", "/?page=3 304"]);
  },
);

Deno.test("A redirect to another origin gets no password, nor do its pages", async () => {
  const seen: (string | null)[] = [];
  await using other = serveSource((request, { search }) => {
    seen.push(request.headers.get("authorization"));
    return page([seen.length], search ? null : "?page=2");
  });
  await using server = serveSource(() => Response.redirect(`${other.url}/items`, 302));
  const reading = { resolve: isPublic, fetchChecked: toThisMachine([]) };
  assertEquals(await drain(`${withPassword(server.url)}/items`, reading), 2);
  assertEquals(seen, [null, null]);
  assertEquals(other.asked, ["/items 200", "/items?page=2 200"]);
});

/** Resolves names as if those of this machine were on the public internet, or on an inside network. */
const resolve: Resolve = (name) => {
  const addresses: Record<string, string> = { localhost: "8.8.8.8", "inside.test": "10.0.0.1" };
  return Promise.resolve([{ address: addresses[name] ?? name, family: 4 }]);
};

const isPublic: Resolve = () => Promise.resolve([{ address: "9.9.9.9", family: 4 }]);

/** Notes the addresses that a request is bound to, and sends it to this machine instead. */
function toThisMachine(bound: string[]): typeof fetchChecked {
  return (url, request) => {
    bound.push(`${url.host} at ${request.addresses.map(({ address }) => address).join()}`);
    return fetchChecked(url, { ...request, addresses: [{ address: "127.0.0.1", family: 4 }] });
  };
}

Deno.test("A source on this machine redirects to no other port of it", async () => {
  await using other = serveSource(() => page([1], null));
  await using server = serveSource(() => Response.redirect(`${other.url}/items`, 302));
  await rejects(
    drain(`${server.url}/items`),
    new RegExp(`it redirects to ${other.url}: 127\\.0\\.0\\.1 is not a public address$`),
  );
  assertEquals(other.asked, []);
});

Deno.test("A source on the internet cannot redirect to private addresses", async () => {
  await using other = serveSource(() => page([1], null));
  const { port } = new URL(other.url);
  let target = "";
  await using server = serveSource((_request, { pathname }) =>
    pathname === "/paged"
      ? page([1], "/items")
      : new Response(null, { status: 302, headers: { location: target } })
  );
  const source = `${server.url.replace("127.0.0.1", "localhost")}/items`;
  const escape = (text: string) => text.replaceAll(/[.[\]]/g, "\\$&");
  const refused: Record<string, string> = {
    [`http://127.0.0.1:${port}/items`]:
      `it redirects to http://127.0.0.1:${port}: 127.0.0.1 is not a public address`,
    "http://me:word@inside.test/items?token=hidden":
      "it redirects to http://inside.test: inside.test resolves to 10.0.0.1, which is not a public address",
    "//169.254.169.254/latest":
      "it redirects to http://169.254.169.254: 169.254.169.254 is not a public address",
    "http://168.63.129.16/":
      "it redirects to http://168.63.129.16: 168.63.129.16 is not a public address",
    "file:///etc/passwd": "it redirects to an address that is not http",
    "data:application/json,[]": "it redirects to an address that is not http",
    "http://[": "it redirects to an address that is not http",
  };
  for (const [location, reason] of Object.entries(refused)) {
    target = location;
    await rejects(
      drain(source, { resolve }),
      new RegExp(`^SnapshotError: Cannot read ${escape(source)}: ${escape(reason)}$`),
    );
  }
  target = `http://127.0.0.1:${port}/items`;
  const reading = { resolve, fetchChecked: toThisMachine([]) };
  await rejects(drain(source.replace("items", "paged"), reading), /not a public address$/);
  assertEquals(other.asked, []);
});

Deno.test("A redirect within a host, or to a public one, is followed without the password", async () => {
  const seen: (string | null)[] = [];
  await using other = serveSource((request) => {
    seen.push(request.headers.get("authorization"), request.headers.get("x-api-version"));
    return page([1, 2], null);
  });
  let target = "";
  await using server = serveSource((request, { pathname }) => {
    if (pathname === "/there") return page([Number(request.headers.has("authorization"))], null);
    return new Response(null, { status: 307, headers: { location: target } });
  });
  const { port } = new URL(other.url);
  const source = withPassword(
    `${server.url.replace("127.0.0.1", "localhost")}/items`,
  );
  const bound: string[] = [];
  target = "/there";
  assertEquals(await drain(source, { resolve, fetchChecked: toThisMachine([]) }), 1);
  for (
    const [location, resolve] of [
      [`http://localhost:${port}/items`, isPublic],
      [`http://127.0.0.1:${port}/items`, isPublic],
    ] as [string, Resolve][]
  ) {
    target = location;
    const headers = { "x-api-version": "1" };
    const reading = { resolve, headers, fetchChecked: toThisMachine(bound) };
    assertEquals(await drain(source, reading), 2);
  }
  assertEquals(seen, [null, null, null, null]);
  assertEquals(bound, [
    `localhost:${port} at 9.9.9.9`,
    `127.0.0.1:${port} at 9.9.9.9`,
  ]);
  // What is only called www. is the same host: it is asked for, and here there is none.
  target = `http://www.localhost:${new URL(server.url).port}/items`;
  const error = await drain(source, { resolve, pausesMs: [] }).catch(String);
  assertEquals([/Cannot read/.test(`${error}`), /public/.test(`${error}`)], [true, false]);
});

Deno.test("A redirect goes to the address that was checked, whatever its name means by then", async () => {
  await using inside = serveSource(() => page([1], null));
  const { port } = new URL(inside.url);
  await using server = serveSource(() => Response.redirect(`http://localhost:${port}/items`, 302));
  // `localhost` is this machine for whoever asks again.
  const error = await drain(server.url, { resolve, pausesMs: [], silenceMs: 300 }).catch(String);
  match(String(error), /Cannot read http:\/\/127\.0\.0\.1:/);
  assertEquals(inside.asked, []);
});

Deno.test("A host that was public may not mean an inside address for a later page", async () => {
  await using server = serveSource(() => page([1], "/2"));
  const source = `${server.url.replace("127.0.0.1", "localhost")}/items`;
  const addresses = ["8.8.8.8", "127.0.0.1"];
  const turning: Resolve = () => Promise.resolve([{ address: addresses.shift()!, family: 4 }]);
  await rejects(
    drain(source, { resolve: turning, pausesMs: [] }),
    /localhost resolves to 127\.0\.0\.1, which is not a public address$/,
  );
  assertEquals(server.asked, ["/items 200"]);
});

Deno.test("A redirect from https to http of the same name is checked, too", async () => {
  await using server = serveSource(() => Response.redirect("https://localhost/items", 302));
  const addresses = ["127.0.0.1", "8.8.8.8", "169.254.169.254"];
  const turning: Resolve = () => Promise.resolve([{ address: addresses.shift()!, family: 4 }]);
  const moved = () => Promise.resolve(Response.redirect("http://localhost/items", 302));
  await rejects(
    drain(server.url, { resolve: turning, fetchChecked: moved, pausesMs: [] }),
    /it redirects to http:\/\/localhost: localhost resolves to 169\.254\.169\.254, which is/,
  );
});

Deno.test("At most five redirects are followed", async () => {
  await using server = serveSource((_request, { pathname }) => {
    const left = Number(pathname.slice(1));
    return left === 0 ? page([1], null) : new Response(null, {
      status: [301, 302, 303, 307, 308][left % 5],
      headers: { location: `/${left - 1}` },
    });
  });
  assertEquals(await drain(`${server.url}/5`), 1);
  await rejects(drain(`${server.url}/6`), /\/6: it redirects more than 5 times$/);
});

Deno.test("A source sends as many items as it announces, whichever pages are empty", async () => {
  let announced = 3;
  const sent = [[1], [], [2], ...Array(9).fill([]), [3], []];
  await using server = serveSource((_request, { searchParams }) => {
    const number = Number(searchParams.get("page") ?? 0);
    const next = number + 1 < sent.length ? `?page=${number + 1}` : null;
    return Response.json({
      data: sent[number]!.map((item: number) => makeItem(item)),
      pagination: { total_items: announced },
      links: { next },
    });
  });
  assertEquals(await drain(server.url), 3);
  for (announced of [2, 4]) {
    await rejects(
      drain(server.url),
      new RegExp(`: it announced ${announced} items, but sent 3$`),
    );
  }
});

Deno.test("Endless pages are given up", async () => {
  let number = 0;
  let items: number[] = [];
  await using server = serveSource((request) => {
    number++;
    return page(items, `${request.url.split(/[?#]/)[0]}?page=${number}#${number}`);
  });
  await rejects(
    drain(`${server.url}/items`),
    /\/items: 10 of its pages in a row had no items$/,
  );
  assertEquals(number, 10);

  items = [1];
  await using same = serveSource(() => page(items, `?page=2#${++number}`));
  await rejects(drain(`${same.url}/items`), /links\.next loop at .*\/items\?page=2$/);
  assertEquals(same.asked, ["/items 200", "/items?page=2 200"]);
});

Deno.test("An unreachable URL is reported with the reason, without secrets", async () => {
  const host = `127.0.0.1:${findFreePort()}`;
  await rejects(drain(`http://me:word@${host}/items?api_key=hidden`, { pausesMs: [] }), {
    message: `Cannot read http://${host}/items?api_key=…: ` +
      `no server answers at ${host}: check the address and the port`,
  });
});

/** Reads a source to its end, and counts its items. */
async function drain(location: string, options = {}): Promise<number> {
  const found = await readSource(location, { asOf: TODAY, ...options });
  return found!.rowCount;
}

testOnDatabases("Health shows only what class of error a source has", async (database) => {
  let answer = () => new Response(null);
  await using server = serveSource(() => answer());
  await using app = await startApp(database);
  const errors: string[] = [];
  for (
    const next of [
      () => Response.json({ message: "\u202egnp.exe\u001b[2J said" }, { status: 400 }),
      () => new Response(null, { status: 503, statusText: "Words of it" }),
      () => new Response("<p>Sign in</p>"),
      () => Response.json([{ feature_name: "One", release_date: "tomorrow" }]),
    ]
  ) {
    answer = next;
    await rejects(importLocation(database, server.url, { asOf: TODAY, pausesMs: [] }));
    errors.push((await readHealth(() => app.json("/health"))).last_import.error);
  }
  assertEquals(errors, [
    "the source refused the request: 400",
    "the source answered 503",
    "the source cannot be read",
    "the source has 2 problems",
  ]);
});
