import { strictEqual as assertEquals } from "node:assert/strict";
import { ROUTES } from "../../routes/table.ts";
import { pathOf, writeTable } from "../../tools/routes.ts";

const TABLE = new URL("../../routes/table.ts", import.meta.url);

Deno.test("The table of all addresses is what its files say", async () => {
  assertEquals(
    await Deno.readTextFile(TABLE),
    await writeTable(),
    "Run `deno task generate`",
  );
});

Deno.test("A file is named by its address", () => {
  const paths = {
    "index.tsx": "/",
    "changelog/[day].tsx": "/changelog/:day",
    "api/releases/index.ts": "/api/releases",
    "feed.json.ts": "/feed.json",
    "release/[release_item_id]/picture.png.ts": "/release/:release_item_id/picture.png",
  };
  for (const [file, path] of Object.entries(paths)) {
    assertEquals(pathOf(file), path);
  }
});

Deno.test("No method of an address is served by two files", () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
  assertEquals(new Set(names).size, names.length);
});

/** Addresses that only our own pages and emails ask for. */
const OWN = [
  "/assets/:name",
  "/search.json",
  "/favicon.ico",
  "/verify-email",
  "/unsubscribe",
];

Deno.test("docs/pages.md or docs/api.md name each address that can be read", async () => {
  const [pages, api] = await Promise.all(
    ["pages", "api"].map((name) =>
      Deno.readTextFile(new URL(`../../docs/${name}.md`, import.meta.url))
    ),
  );
  const missing = ROUTES.filter(({ method, path }) =>
    method === "GET" && !/^\/(?::|admin\b)/.test(path) && !OWN.includes(path)
  ).map(({ path }) => path.replace(/:\w+.*/, "<")).filter((path) =>
    !`${pages}${api}`.includes("`" + path)
  );
  assertEquals(missing.join(", "), "");
});
