import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { addImportToken } from "../../lib/admin/import_tokens.ts";
import { sql } from "../../lib/database/sql.ts";
import { makeItem, startApp, type TestApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";

function send(app: TestApp, path: string, token: string, item = 1): Promise<Response> {
  return app.fetch(path, {
    method: "POST",
    headers: { "authorization": `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify([makeItem(item)]),
  });
}

const importOf = (source: string) => `/api/import?source_name=${encodeURIComponent(source)}`;

testOnDatabases("A token imports its sources, and does nothing else", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const answer = await operator.post("/admin/tokens#add", {
    name: "build",
    sources: "plans\nother plans\n",
  });
  const [token] = /roadcast_import_[\w-]{43}/.exec(await answer.text())!;
  match(await operator.read("/admin/tokens"), /build.*plans, other plans.*Never/s);
  doesNotMatch(await operator.read("/admin/tokens"), new RegExp(token));

  assertEquals((await send(app, importOf("plans"), token)).status, 200);
  assertEquals((await send(app, `${importOf("other plans")}&dry_run=true`, token)).status, 200);
  for (const path of [importOf("secret"), "/api/import"]) {
    const refused = await send(app, path, token);
    assertEquals(refused.status, 403);
    match((await refused.json()).detail, /^This token may import only plans, other plans, not /);
  }
  assertEquals((await send(app, "/api/work", token)).status, 401);
  assertEquals((await send(app, importOf("plans"), `${token}x`)).status, 401);
  const signIn = await app.fetch("/admin/sign-in", {
    method: "POST",
    body: new URLSearchParams({ token }),
  });
  assertEquals(signIn.headers.get("set-cookie"), null);
  assertEquals((await send(app, importOf("secret"), ADMIN_TOKEN, 2)).status, 200);

  match(await operator.read("/admin/tokens"), new RegExp(`build.*${TODAY}`, "s"));
  const audit = await operator.read("/admin/audit");
  match(audit, /token build.*imported: plans/s);
  doesNotMatch(audit, /imported: (?:other plans|secret)/);
  const rows = await database.query<{ row: string }>(sql`
    select row_to_json(import_tokens)::text as row from import_tokens
  `);
  doesNotMatch(JSON.stringify(rows), new RegExp(token));

  match(await operator.submit("/admin/tokens#remove", { name: "build" }), /The token is removed/);
  assertEquals((await send(app, importOf("plans"), token)).status, 401);
});

testOnDatabases(
  "A token brings back only what always belonged to its sources",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const add = async (...sources: string[]) =>
      await addImportToken(database, { name: sources.join(), sources, now: new Date(TODAY) });
    const [own, both] = [await add("scratch"), await add("scratch", "plans")];
    const take = async (source: string, token: string, items: number[]) => {
      const query = `${importOf(source)}&allow_mass_removal=true`;
      const body = JSON.stringify(items.map((item) => makeItem(item)));
      const headers = { "authorization": `Bearer ${token}`, "content-type": "application/json" };
      const preview = await app.fetch(`${query}&dry_run=true`, { method: "POST", headers, body });
      const { counts } = await preview.json();
      const response = await app.fetch(query, { method: "POST", headers, body });
      // A preview says the same.
      assertEquals(response.ok, counts !== null);
      return response.ok ? "stored" : (await response.json()).detail;
    };
    const refused = /which was removed and belonged to the source "plans": nothing was stored/;
    assertEquals(await take("plans", ADMIN_TOKEN, [1, 2]), "stored");
    assertEquals(await take("plans", ADMIN_TOKEN, [1]), "stored");
    match(await take("scratch", own, [2]), refused);
    match(await take("scratch", own, [1]), /which belongs to the source "plans" already/);
    // A token that names both, and then one source that has it and had it.
    assertEquals(await take("scratch", both, [2, 3]), "stored");
    assertEquals(await take("scratch", own, [2, 3]), "stored");
    assertEquals(await take("scratch", own, [3]), "stored");
    match(await take("scratch", own, [2, 3]), refused);
    assertEquals(await take("scratch", own, [4]), "stored");
    assertEquals(await take("scratch", own, [3, 4]), "stored");
  },
);

testOnDatabases("A token that cannot be added is refused with the reason", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const add = async (name: string, sources: string) => {
    const response = await operator.post("/admin/tokens#add", { name, sources });
    return [response.status, /role="alert">([^<]*)/.exec(await response.text())?.[1]];
  };
  assertEquals(await add("", "plans"), [
    422,
    "The name must have 1 to 60 characters without control characters",
  ]);
  assertEquals(await add("build", " \n"), [422, "Name the sources that the token may import"]);
  assertEquals(await add("build", "x".repeat(101)), [
    422,
    "The name of a source must have 1 to 100 characters",
  ]);
  assertEquals(await add("build", "plans"), [200, undefined]);
  assertEquals((await add("build", "plans"))[0], 422);
  assertEquals((await operator.post("/admin/tokens#remove", { name: "none" })).status, 404);
});

testOnDatabases("Guesses of tokens are counted as those of ADMIN_TOKEN", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const statuses: number[] = [];
  for (let count = 0; count < 11; count++) {
    statuses.push((await send(app, importOf("x"), `roadcast_import_${count}`)).status);
  }
  assertEquals(statuses, [...Array(10).fill(401), 429]);
});
