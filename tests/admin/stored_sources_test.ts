import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { addSchedule, claimWork, releaseWork } from "../../lib/database/leases.ts";
import { sql } from "../../lib/database/sql.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { serveSource, type SourceServer } from "../support/servers/source_server.ts";
import { ADMIN_TOKEN, type Operator, startOperator, work } from "../support/subjects/operator.ts";
import { chooseUses } from "../support/subjects/upload_form.ts";
import { waitFor } from "../support/wait_for.ts";
import { CLIENT, startTokenServer } from "../support/servers/token_server.ts";

const HEAD = "Ref,What,Team,Stage,When";
const ROWS = ["P-1,Dark mode,Mobile app,Planned,Q1 2027", "P-2,Sign-in,Console,Planned,Q2 2027"];
const CSV = [HEAD, ...ROWS].join("\n");
/** What the columns are, which no name gives away. */
const USES = {
  Ref: "release_item_id",
  What: "feature_name",
  Team: "product_name",
  Stage: "release_status",
  When: "release_date",
};

/** Maps the columns of a source on its page, and returns the next page. */
async function mapColumns(operator: Operator, id: string): Promise<string> {
  const page = await operator.read(`/admin/upload?id=${id}`);
  return await operator.submit("/admin/upload#map", chooseUses(page, USES));
}

function serveCsv(body: () => string = () => CSV): SourceServer {
  return serveSource(() => new Response(body(), { headers: { "content-type": "text/csv" } }));
}

/** Begins to add a source, and returns the id of its page. */
async function begin(operator: Operator, fields: Record<string, string>): Promise<string> {
  const response = await operator.post("/admin/source/add#add", { every_minutes: "60", ...fields });
  const text = await response.text();
  assertEquals([response.status, text.slice(0, 600)], [303, ""]);
  return /id=([\w-]+)$/.exec(response.headers.get("location")!)![1]!;
}

/** Adds a source whose columns are mapped on its page. */
async function add(operator: Operator, fields: Record<string, string>): Promise<void> {
  const id = await begin(operator, fields);
  await mapColumns(operator, id);
  match(
    await operator.submit("/admin/upload#import", { id }),
    /The source is added\. Its first import starts within a few seconds\./,
  );
}

/** Begins to change a source, and returns the id of its page. */
async function change(operator: Operator, name: string): Promise<string> {
  const response = await operator.post("/admin/source#change", { name });
  return /id=([\w-]+)$/.exec(response.headers.get("location")!)![1]!;
}

async function releases(app: TestApp, source: string): Promise<number> {
  return (await app.json(`/api/releases?source=${source}`)).pagination.total_items;
}

testOnDatabases(
  "A source is added by its address, changed, paused, resumed and removed",
  async (database) => {
    let rows = [HEAD, ...ROWS];
    await using server = serveCsv(() => rows.join("\n"));
    await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
    const operator = await startOperator(app);
    const id = await begin(operator, { name: "plans", from: `${server.url}/plans.csv` });
    const checked = await operator.read(`/admin/upload?id=${id}`);
    match(
      checked,
      /plans <span[^>]*>2 rows · every hour from http:\/\/127\.0\.0\.1:\d+\/plans\.csv/,
    );
    match(checked, /<option value selected>Found: CSV<\/option>/);
    const mapped = await mapColumns(operator, id);
    match(mapped, /2 releases will be added/);
    assertEquals(await releases(app, "plans"), 0);
    const added = await operator.submit("/admin/upload#import", { id });
    match(added, /The source is added.*An import is about to start\./s);
    assertEquals((await operator.get(`/admin/upload?id=${id}`)).status, 404);
    await work(app);
    assertEquals(await releases(app, "plans"), 2);
    const page = await operator.read("/admin/source?name=plans");
    match(page, /Set in<\/dt><dd>Added here.*How often<\/dt><dd>every hour/s);
    match(page, /2 releases of 2 products leave the roadmap; their history stays/);
    match(await operator.read("/admin/sources"), /plans.*2 items, 2 products.*this page/s);

    // What follows is read on its schedule, with its mapping.
    rows = [...rows, "P-3,Offline maps,Mobile app,Planned,Q3 2027"];
    await operator.submit("/admin/source#import", { name: "plans" });
    await work(app);
    assertEquals(await releases(app, "plans"), 3);

    match(await operator.submit("/admin/source#pause", { name: "plans" }), /is paused\..*paused/s);
    rows = rows.slice(0, 3);
    const askedBefore = server.asked.length;
    app.advance(7200);
    await database.query(sql`update schedules set due_at = now()`);
    await work(app);
    assertEquals([await releases(app, "plans"), server.asked.length], [3, askedBefore]);
    assertEquals((await operator.post("/admin/source#import", { name: "plans" })).status, 404);
    await operator.submit("/admin/source#resume", { name: "plans" });
    await work(app);
    assertEquals(await releases(app, "plans"), 2);

    const changed = await change(operator, "plans");
    const moved = await operator.submit("/admin/upload#source", {
      id: changed,
      from: `${server.url}/moved.csv`,
      every_minutes: "1440",
    });
    match(
      moved,
      /every day from http:\/\/127\.0\.0\.1:\d+\/moved\.csv.*Nothing changes: 2 releases/s,
    );
    match(await operator.submit("/admin/upload#import", { id: changed }), /The source is changed/);
    await work(app);
    assertEquals(server.asked.at(-1), "/moved.csv 200");

    const removed = await operator.submit("/admin/source#remove", { name: "plans" });
    match(removed, /The source and its releases were removed\..*No sources yet/s);
    await work(app);
    assertEquals([await releases(app, "plans"), server.asked.at(-1)], [0, "/moved.csv 200"]);
    const audit = await operator.read("/admin/audit");
    match(audit, /removed a source: plans, 2 items.*changed a source: plans.*resumed a source/s);
    match(audit, /paused a source: plans.*added a source: plans/s);
  },
);

testOnDatabases("A source that is wrong comes back with what is wrong", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  const fields = { name: "plans", from: "https://example.com/plans.csv", every_minutes: "60" };
  for (
    const [wrong, id, message] of [
      [{ name: "" }, "name", /Must not be empty/],
      [{ from: "" }, "from", /Must not be empty/],
      [{ from: "/etc/passwd" }, "from", /Enter an address that begins with https:/],
      [{ from: "jira:" }, "from", /Must be jira:https/],
      [{ every_minutes: "0" }, "every_minutes", /Must be a whole number from 1 to 44640/],
      [{ sign_in: "token" }, "secret", /Enter the token, password or secret/],
      [{ sign_in: "header", header: "Host", secret: "x" }, "header", /Cannot be set/],
      [
        { sign_in: "client", token_url: "http://example.com", client_id: "a", secret: "x" },
        "token_url",
        /Must be an https address/,
      ],
      [{ announcements: "news" }, "announcements", /Must be an http or https address/],
    ] as const
  ) {
    const response = await operator.post("/admin/source/add#add", { ...fields, ...wrong });
    const page = await response.text();
    assertEquals(response.status, 422, JSON.stringify(wrong));
    const [, field] = new RegExp(`id="${id}".*?</div>`, "s").exec(page) ? [, 1] : [];
    assertEquals(field, 1, id);
    const after = page.slice(page.indexOf(`id="${id}"`));
    match(after.slice(0, after.indexOf("</div>")), message);
  }
});

testOnDatabases("What is typed as a secret is never shown again", async (database) => {
  const secret = "canary-of-a-source";
  const seen: (string | null)[] = [];
  await using other = serveSource((request) => {
    seen.push(request.headers.get("authorization"));
    return new Response(CSV, { headers: { "content-type": "text/csv" } });
  });
  await using server = serveSource((request, { pathname }) => {
    if (pathname === "/away.csv") return Response.redirect(`${other.url}/plans.csv`);
    return request.headers.get("authorization") === `Basic ${btoa(`kim:${secret}`)}`
      ? new Response(CSV, { headers: { "content-type": "text/csv" } })
      : new Response(`no access: ${request.headers.get("authorization")}`, { status: 401 });
  });
  await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  const login = { sign_in: "login", user: "kim", secret };
  await add(operator, { name: "plans", from: `${server.url}/plans.csv`, ...login });
  await work(app);
  assertEquals(await releases(app, "plans"), 2);

  const id = await change(operator, "plans");
  const page = await operator.read(`/admin/upload?id=${id}`);
  match(page, /<option value="keep" selected>As it is now<\/option>/);
  match(page, /env:SECRET/);
  // An address on another server does not get it.
  const moved = { id, from: `${other.url}/plans.csv`, every_minutes: "60", sign_in: "keep" };
  const refused = await operator.post("/admin/upload#source", moved);
  match(
    await refused.text(),
    /The address is on another server: enter the credentials again, or choose “No sign-in”/,
  );
  const json = JSON.stringify({
    from: `${other.url}/plans.csv`,
    headers: { Authorization: "env:SECRET" },
  });
  assertEquals((await operator.post("/admin/upload#json", { id, fields: json })).status, 422);
  // The environment of the server is not theirs to send.
  const home = JSON.stringify({
    from: `${other.url}/plans.csv`,
    headers: { "X-Home": "env:HOME" },
  });
  assertEquals((await operator.post("/admin/upload#json", { id, fields: home })).status, 422);
  await operator.submit("/admin/upload#source", {
    id,
    from: `${server.url}/away.csv`,
    every_minutes: "60",
    sign_in: "keep",
  });
  assertEquals(seen.some((sent) => sent?.includes("Basic")), false);

  const wrong = await begin(operator, {
    name: "wrong",
    from: server.url.replace("//", `//kim:${secret}x@`),
  });
  const error = await operator.read(`/admin/upload?id=${wrong}`);
  match(error, /The server responded 401/);
  const file = await (await operator.get("/admin/sources/file")).text();
  match(file, /"Authorization": "env:PLANS_SECRET"/);
  const shown = [page, error, file, await operator.read("/admin/audit")];
  shown.push(
    await operator.read("/admin/source?name=plans"),
    await operator.read("/admin/sources"),
  );
  shown.push(await (await app.fetch("/health")).text());
  for (const text of shown) {
    doesNotMatch(text, new RegExp(secret));
    doesNotMatch(text, new RegExp(btoa(`kim:${secret}`)));
  }
});

testOnDatabases(
  "A parameter that is a secret, and a token server, work alike",
  async (database) => {
    await using tokens = startTokenServer();
    const asked: string[] = [];
    await using server = serveSource((request, url) => {
      asked.push(`${url.search} ${request.headers.get("authorization")}`);
      return new Response(CSV, { headers: { "content-type": "text/csv" } });
    });
    await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
    const operator = await startOperator(app);
    await add(operator, {
      name: "keyed",
      from: `${server.url}/plans.csv?api_key=canary%20key&page=1`,
    });
    await work(app);
    assertEquals([await releases(app, "keyed"), asked.at(-1)], [
      2,
      "?api_key=canary%20key&page=1 null",
    ]);
    const file = await (await operator.get("/admin/sources/file")).json();
    match(file.sources[0].from, /\/plans\.csv\?api_key=env:KEYED_SECRET&page=1$/);
    await operator.submit("/admin/source#remove", { name: "keyed" });
    await add(operator, {
      name: "graph",
      from: `${server.url}/content`,
      sign_in: "client",
      token_url: tokens.url,
      client_id: CLIENT.id,
      secret: CLIENT.secret,
      scope: "files",
    });
    await work(app);
    assertEquals(await releases(app, "graph"), 2);
    match(asked.at(-1)!, /^ Bearer /);
  },
);

testOnDatabases(
  "The source of the configuration counts, and the page says so",
  async (database) => {
    await withFolder(async (folder) => {
      await using server = serveCsv();
      {
        await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
        await add(await startOperator(app), { name: "plans", from: `${server.url}/page.csv` });
      }
      const config = `${folder}/sources.json`;
      await Deno.writeTextFile(
        config,
        JSON.stringify({ sources: [{ name: "plans", from: `${server.url}/file.csv` }] }),
      );
      await using app = await startApp(database, { ADMIN_TOKEN, ROADMAP_CONFIG: config });
      const operator = await startOperator(app);
      match(await operator.read("/admin/sources"), /ROADMAP_CONFIG, which counts; also added here/);
      const page = await operator.read("/admin/source?name=plans");
      match(
        page,
        /A source with this name was also added here\. The one in ROADMAP_CONFIG is used\./,
      );
      match(page, /Read from<\/dt><dd>[^<]*\/file\.csv/);
      await work(app);
      assertEquals(server.asked.at(-1), "/file.csv 200");
      const taken = await operator.post("/admin/source/add#add", {
        name: "plans",
        from: server.url,
        every_minutes: "60",
      });
      match(await taken.text(), /ROADMAP_CONFIG has a source of this name/);
      match(
        await operator.submit("/admin/source#remove", { name: "plans" }),
        /The source that was added here is removed\./,
      );
      assertEquals((await operator.post("/admin/source#change", { name: "plans" })).status, 404);
      assertEquals((await operator.post("/admin/source#remove", { name: "plans" })).status, 409);
    });
  },
);

testOnDatabases("Processes follow what another one added, and one reads it", async (database) => {
  await using server = serveCsv();
  await using first = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  await using second = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  await add(await startOperator(first), { name: "plans", from: `${server.url}/plans.csv` });
  const before = server.asked.length;
  await work(second);
  await work(first);
  assertEquals(await releases(second, "plans"), 2);
  assertEquals(server.asked.length, before + 1);

  // Nobody removes it from under an import.
  const claim = { holder: crypto.randomUUID(), seconds: 60 };
  await database.query(sql`update schedules set due_at = now() where name = 'sync plans'`);
  await addSchedule(database, "sync plans");
  assertEquals(await claimWork(database, "sync plans", { ...claim, maxPause: 1 }) === null, false);
  const operator = await startOperator(second);
  const busy = await operator.post("/admin/source#remove", { name: "plans" });
  assertEquals(busy.status, 409);
  match(await busy.text(), /is being imported: try again when that is done/);
  await releaseWork(database, "sync plans", { ...claim, seconds: 60, failures: 0 });
  await operator.submit("/admin/source#remove", { name: "plans" });
  await work(first);
  assertEquals([await releases(first, "plans"), server.asked.length], [0, before + 1]);
});

testOnDatabases(
  "A page that shows what another process has changed has the jobs follow it",
  async (database) => {
    await using server = serveCsv();
    await using other = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
    const its = await startOperator(other);
    await add(its, { name: "plans", from: `${server.url}/plans.csv` });
    await work(other);
    await its.submit("/admin/source#pause", { name: "plans" });
    const before = server.asked.length;

    await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
    await app.startJobs("imports");
    const operator = await startOperator(app);
    match(await operator.read("/admin/sources"), /paused/);
    // As another process does, whose notification has not come yet.
    await database.query(sql`update stored_sources set is_paused = false`);
    await database.query(sql`update schedules set due_at = now()`);
    doesNotMatch(await operator.read("/admin/sources"), /paused/);
    await waitFor("the import", () => server.asked.length > before);
  },
);

testOnDatabases("A source that is added has one secret", async (database) => {
  const asked: (string | null)[][] = [];
  await using server = serveSource((request, { searchParams }) => {
    asked.push([searchParams.get("token"), request.headers.get("x-access")]);
    return new Response(CSV, { headers: { "content-type": "text/csv" } });
  });
  await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  const from = `${server.url}/plans.csv?token=canary-1`;
  const every = { name: "plans", from, every_minutes: "60" };
  for (const secret of ["canary-2", "canary-1"]) {
    const signIn = { sign_in: "header", header: "X-Access", secret };
    const refused = await operator.post("/admin/source/add#add", { ...every, ...signIn });
    // The same one may be sent in two places.
    assertEquals(refused.status, secret === "canary-1" ? 303 : 422);
    if (refused.status === 422) match(await refused.text(), /has one secret, and this is another/);
  }
  await add(operator, { name: "plans", from });
  await work(app);
  assertEquals(asked.at(-1), ["canary-1", null]);

  // One that is kept is not overwritten by one that is new, and goes nowhere else.
  const id = await change(operator, "plans");
  const kept = `${server.url}/plans.csv?token=env:SECRET`;
  for (
    const [given, reason] of [
      [{ from: kept, sign_in: "token", secret: "canary-3" }, /has one secret, and this is another/],
      [{ from: kept.replace("127.0.0.1", "localhost") }, /is on another server/],
      [{ from: kept.replace("SECRET", "HOME") }, /Enter the credentials again/],
    ] as const
  ) {
    const refused = await operator.post("/admin/upload#source", { ...every, id, ...given });
    assertEquals(refused.status, 422);
    match(await refused.text(), reason);
  }
  const moved = { ...every, id, from: from.replace("-1", "-3") };
  await operator.submit("/admin/upload#source", moved);
  await operator.submit("/admin/upload#import", { id });
  await work(app);
  assertEquals(asked.at(-1), ["canary-3", null]);
});

testOnDatabases("A change is stored only over what it was begun from", async (database) => {
  await using server = serveCsv();
  await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  const ann = await startOperator(app);
  const ben = await startOperator(app);
  await add(ann, { name: "plans", from: `${server.url}/plans.csv` });
  await work(app);
  const refuse = async (id: string) => {
    const refused = await ann.post("/admin/upload#import", { id });
    assertEquals(refused.status, 409);
    match(await refused.text(), /was changed or removed meanwhile: nothing was saved/);
  };
  const changed = await change(ann, "plans");
  const other = await change(ben, "plans");
  await ben.submit("/admin/upload#import", { id: other });
  await refuse(changed);

  const gone = await change(ann, "plans");
  await ben.submit("/admin/source#remove", { name: "plans" });
  await refuse(gone);
  // One of the same name that was added since is another one.
  await add(ben, { name: "plans", from: `${server.url}/other.csv` });
  await refuse(gone);
  await work(app);
  assertEquals(server.asked.at(-1), "/other.csv 200");

  // Of two that add a name at once, one does.
  const twice = await Promise.all([ann, ben].map(async (operator) => {
    const id = await begin(operator, { name: "twice", from: `${server.url}/twice.csv` });
    await mapColumns(operator, id);
    return await operator.post("/admin/upload#import", { id });
  }));
  assertEquals(twice.map(({ status }) => status).sort(), [303, 409]);
});

testOnDatabases("A secret in the body of a source as JSON is stored apart", async (database) => {
  const bodies: unknown[] = [];
  const items = [{ Ref: "P-1", What: "Dark mode", Team: "Console", Stage: "Planned" }];
  await using server = serveSource(async (request) => {
    if (request.method === "POST") bodies.push(await request.json());
    return Response.json({ items });
  });
  await using app = await startApp(database, { ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  const id = await begin(operator, { name: "api", from: `${server.url}/items` });
  const auth = { user: "kim", tokens: [{ password: "canary-of-a-body" }] };
  const source = {
    from: `${server.url}/items`,
    items: "/items",
    body: { auth, page_token: "{next}" },
    pages: { next: "/next" },
    fields: { feature_name: "What", product_name: "Team", release_status: "Stage" },
  };
  const page = await operator.submit("/admin/upload#json", { id, fields: JSON.stringify(source) });
  match(page, /env:SECRET/);
  await operator.submit("/admin/upload#import", { id });
  await work(app);
  assertEquals(await releases(app, "api"), 1);
  assertEquals((bodies.at(-1) as typeof source.body).auth, auth);
  const file = await (await operator.get("/admin/sources/file")).text();
  match(file, /"page_token": "\{next\}"/);
  const stored = JSON.stringify(await database.query(sql`select entry from stored_sources`));
  for (const shown of [page, file, stored]) doesNotMatch(shown, /canary/);

  // What is typed there cannot be sent otherwise.
  const long = { ...source, body: { auth: { password: "ü" } }, pages: undefined };
  const changed = await change(operator, "api");
  const fields = JSON.stringify(long);
  const refused = await operator.post("/admin/upload#json", { id: changed, fields });
  assertEquals(refused.status, 422);
  match(await refused.text(), /printable ASCII characters/);
});
