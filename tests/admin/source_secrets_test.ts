import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { json, sql } from "../../lib/database/sql.ts";
import { writeSqlBackup } from "../../lib/database/sql_backup.ts";
import { SOURCES_FILE } from "../../lib/import/sources/source_config.ts";
import { listStoredSources } from "../../lib/import/sources/stored_sources_sql.ts";
import { startApp } from "../support/app.ts";
import { openNewEmbedded, testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { stride } from "../support/slow.ts";
import { ADMIN_TOKEN, type Operator, startOperator, work } from "../support/subjects/operator.ts";

const CANARY = "kanarienvogel";

/** A value for each key of a source; each text in it has the canary in turn. */
const VALUES = (url: string): Record<string, unknown> => ({
  name: "plans",
  from: `${url}/plans`,
  kind: "json",
  every_minutes: 60,
  fields: { feature_name: "title", tags: { Team: "squad" }, release_status: { from: "status" } },
  sheet: "Plans",
  encoding: "utf-8",
  language: "en",
  headers: { "X-Access": "open", Accept: "application/json" },
  auth: {
    client_credentials: {
      token_url: `${url}/token`,
      client_id: "kim",
      client_secret: "env:SECRET",
      scope: "files",
    },
  },
  announcements: `${url}/feed.xml`,
  items: "/items",
  pages: { next: "/next", parameter: "after" },
  method: "POST",
  body: { query: "items", deep: [{ password: "env:SECRET", sort: "id" }], tokens: ["env:SECRET"] },
  private_hosts: ["wiki.example.com"],
});

/** How a secret stands in a text. */
const texts = (url: string): string[] => [
  url.replace("//", `//me:${CANARY}@`),
  url.replace("//", `//${CANARY}@`),
  `${url}?api_key=${CANARY}&page=1`,
  `${url}?to%6Ben=${CANARY}`,
  `${url}#access_token=${CANARY}`,
  `${url}?by=${encodeURIComponent(`https://me:${CANARY}@example.com`)}`,
  `jira:me:${CANARY}@example.com/WEB`,
  `password=${CANARY}&user=me`,
  JSON.stringify({ password: CANARY }),
  JSON.stringify([{ auth: { tokens: [CANARY] } }]),
];

/** The value with another text in place of each of its texts and keys, one at a time. */
function* withText(value: unknown, text: string): Generator<unknown> {
  if (typeof value === "string") yield text;
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    for (const changed of withText(one, text)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
    if (!Array.isArray(value)) yield { ...value, [text]: one };
  }
}

testOnDatabases("A secret in any key of a source is kept apart or refused", async (database) => {
  await using server = serveSource(() =>
    Response.json(
      { items: [{ title: "Maps", status: "Planned", squad: "Blue" }] },
      { headers: { etag: '"1"' } },
    )
  );
  await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  const values = VALUES(server.url);
  const keys = Object.keys(SOURCES_FILE.shape.sources.element.shape);
  assertEquals(Object.keys(values).toSorted(), keys.toSorted());
  const base = { from: `${server.url}/plans`, every_minutes: 60, items: "/items" };
  const secrets = [...texts(`${server.url}/x`), CANARY];
  let stored = 0;
  let place = 0;
  for (const key of keys) {
    for (const secret of secrets) {
      // Alone it is a secret where its name says so: in a header, a body, or the client's.
      if (secret === CANARY && !["headers", "auth", "body"].includes(key)) continue;
      for (const value of withText(values[key], secret)) {
        const entry = { ...base, ...key === "method" && { body: {} }, [key]: value };
        if (secret === CANARY && !isKept(key, value)) continue;
        if (secret !== CANARY && place++ % stride(database) > 0) continue;
        const id = await begin(operator, `plans ${stored}`, server.url);
        if (key === "name") continue;
        const fields = JSON.stringify(entry);
        const { status } = await operator.post("/admin/upload#json", { id, fields });
        if (status !== 303) {
          assertEquals([status, fields], [422, fields]);
          continue;
        }
        stored++;
        await look(`the page of ${fields}`, operator.read(`/admin/upload?id=${id}`));
        const json = operator.get(`/admin/upload/fields?id=${id}`);
        await look(`the JSON of ${fields}`, json.then((response) => response.text()));
        await operator.post("/admin/upload#import", { id });
      }
    }
  }
  assert(stored * stride(database) >= 10, `${stored} were stored`);
  await work(app);
  await look("the download", operator.get("/admin/sources/file").then((file) => file.text()));
  await look("the sources", operator.read("/admin/sources"));
  await look("the audit log", operator.read("/admin/audit"));
  const backUp = async (withSecrets: boolean) => {
    let dump = "";
    const write = (text: string) => Promise.resolve(void (dump += text));
    await writeSqlBackup(database, await readMigrations(), write, { withSecrets });
    return dump;
  };
  await look("the backup", backUp(false));
  assertEquals((await backUp(true)).includes(CANARY), true);
  const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
    sql`select count(*)::int as count from stored_sources where secrets <> '{}'`,
  );
  assert(count * stride(database) > 5, `${count} were kept apart`);
});

/** A bare text is a secret where the name of its key says so, or in the only header. */
function isKept(key: string, value: unknown): boolean {
  const text = JSON.stringify(value);
  return key === "headers"
    ? text.includes(`"X-Access":"${CANARY}"`)
    : new RegExp(`"(?:client_secret|password)":"${CANARY}"|"tokens":\\["${CANARY}"`).test(text);
}

async function look(where: string, text: Promise<string>): Promise<void> {
  const found = (await text).match(new RegExp(`.{0,60}${CANARY}.{0,60}`))?.[0];
  assertEquals([where, found], [where, undefined]);
}

async function begin(operator: Operator, name: string, url: string): Promise<string> {
  const source = { name, from: `${url}/plans`, every_minutes: "60" };
  const response = await operator.post("/admin/source/add#add", source);
  return /id=([\w-]+)$/.exec(response.headers.get("location") ?? "")?.[1] ?? "";
}

Deno.test("What was typed before stays with its source, also several secrets", async () => {
  const asked: (string | null)[] = [];
  await using server = serveSource((request, { searchParams }) => {
    asked.push(`${searchParams.get("key")} ${request.headers.get("x-access")}`);
    return Response.json([{ title: "Maps", status: "Planned" }]);
  });
  const database = await openNewEmbedded();
  try {
    const migrations = await readMigrations();
    await migrate(database, migrations.filter(({ name }) => name < "0043"));
    const entry = {
      from: `${server.url}/plans?key=env:PLANS_KEY`,
      every_minutes: 60,
      headers: { "X-Access": "env:PLANS_X_ACCESS" },
    };
    const values = { PLANS_KEY: "one", PLANS_X_ACCESS: "two" };
    const id = crypto.randomUUID();
    await database.query(sql`
      insert into source_secrets (secrets_id, secrets, created_at)
      values (${id}::uuid, ${json({ origins: [server.url], values })}, now())
    `);
    await database.query(sql`
      insert into stored_sources (name, entry, is_paused, secrets_id)
      values ('plans', ${json(entry)}, false, ${id}::uuid), ('open', '{"from": "x"}', true, null)
    `);
    await migrate(database, migrations);
    const kept = (await listStoredSources(database)).map(({ name, secrets }) => [name, secrets]);
    assertEquals(kept, [["open", {}], ["plans", values]]);
    await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
    await work(app);
    assertEquals(asked.at(-1), "one two");
    // A change of something else keeps both; a new one is one too many.
    const operator = await startOperator(app);
    const begun = await operator.post("/admin/source#change", { name: "plans" });
    const draft = /id=([\w-]+)$/.exec(begun.headers.get("location")!)![1]!;
    const same = { id: draft, from: entry.from, every_minutes: "15", sign_in: "keep" };
    assertEquals((await operator.post("/admin/upload#source", same)).status, 303);
    const other = { ...same, sign_in: "token", secret: "three" };
    assertEquals((await operator.post("/admin/upload#source", other)).status, 422);
    await operator.post("/admin/upload#import", { id: draft });
    await work(app);
    assertEquals(asked, ["one two", "one two"]);
  } finally {
    await database.close();
  }
});

testOnDatabases("A version in a header stays where the secret is another one", async (database) => {
  await using server = serveSource(() => Response.json([{ title: "Maps" }]));
  await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  const id = await begin(operator, "plans", server.url);
  const headers = { "Notion-Version": "2022-06-28", Authorization: `Bearer ${CANARY}` };
  const fields = JSON.stringify({ from: `${server.url}/plans`, headers });
  assertEquals((await operator.post("/admin/upload#json", { id, fields })).status, 303);
  const written = await (await operator.get(`/admin/upload/fields?id=${id}`)).json();
  assertEquals(written.headers, { ...headers, Authorization: "env:SECRET" });
});
