import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import type { Database } from "../../../lib/database/database.ts";
import { openEmbedded } from "../../../lib/database/embedded/embedded.ts";
import { listMails } from "../../../lib/delivery/outbox/outbox_sql.ts";
import { sql } from "../../../lib/database/sql.ts";
import { acceptRequest } from "../../../lib/delivery/subscriptions/subscription_requests_sql.ts";
import { runHere, sayHere } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";
import { findFreePort } from "../../support/server.ts";

const NOW = new Date("2026-07-20T12:00:00Z");

const run = (folder: string, ...words: string[]) => sayHere(words, { DATA_DIR: folder });

/** The database of a folder, which the commands of this process then share. */
async function seed(folder: string): Promise<Database> {
  await copyMigrated(folder);
  const database = await openEmbedded(folder, { shares: true });
  const request = (email: string, products: string[]) =>
    acceptRequest(database, {
      email,
      preferences: {
        scope: products.length > 0 ? "chosen" : "all",
        filter: products.length > 0 ? { product_name: products } : {},
        releases: [],
        cadence: null,
        upcoming: null,
        reminders: null,
      },
      variant: "A",
      mailsAnHour: 1000,
      now: NOW,
    });
  await request("=cmd@example.com", []);
  await request("ann@example.com", ['A "quoted", one', "Ünïcode"]);
  await request("bob@example.com", []);
  await request("cid@example.com", []);
  await database.query(sql`
    update subscriptions set state = 'verified', verified_at = '2026-07-20 13:00+00'
    where email = 'ann@example.com'
  `);
  await database.query(sql`
    update outbox set status = 'failed', attempts = 2, last_error = '550 No such user'
    from subscriptions
    where outbox.subscription_id = subscriptions.subscription_id
      and email in ('ann@example.com', 'bob@example.com')
  `);
  return database;
}

Deno.test("The commands show, export, retry and delete", async (t) => {
  const folder = await Deno.makeTempDir();
  const database = await seed(folder);

  await t.step("subscriptions counts by state", async () => {
    const { code, out } = await run(folder, "subscriptions");
    assertEquals(code, 0);
    assertEquals(out, "unverified   3\nverified     1\nunsubscribed 0\n");
  });

  await t.step(
    "subscriptions counts and lists bounced addresses, if there are any",
    async () => {
      const none = await run(folder, "subscriptions", "--bounced");
      assertEquals([none.code, none.out], [0, "No address rejected too many emails\n"]);
      const setState = async (state: string) => {
        await database.query(sql`
        update subscriptions
        set state = ${state}, refused_at = '2026-07-20 14:00+00', refusal_reason = '550 No such user'
        where email = 'ann@example.com'
      `);
      };
      await setState("bounced");
      const { out } = await run(folder, "subscriptions");
      assertEquals(out, "unverified   3\nverified     0\nunsubscribed 0\nbounced      1\n");
      const listed = await run(folder, "subscriptions", "--bounced");
      assertEquals(listed.out, "ann@example.com 2026-07-20T14:00:00Z\n  550 No such user\n");
      const reactivate = () => run(folder, "subscriptions", "--reactivate", "Ann@example.com");
      match((await reactivate()).out, /^ann@example\.com gets emails again/);
      match((await reactivate()).out, /^ann@example\.com is not among the addresses/);
    },
  );

  await t.step("--export escapes formulas in its CSV", async () => {
    const { code, out } = await run(folder, "subscriptions", "--export");
    assertEquals(code, 0);
    assertEquals(out.split("\r\n"), [
      "email,state,products,types,statuses,variant,requested_at,verified_at,unsubscribed_at," +
      "releases,cadence,paused_until,scope,kinds,tags,searches,refused_at,refusal_reason,due,upcoming,reminders,sources,date_name",
      "'=cmd@example.com,unverified,[],[],[],A,2026-07-20T12:00:00Z,,,[],weekly,,all,[],[],[],,,[],true,true,[],[]",
      'ann@example.com,verified,"[""A \\""quoted\\"", one"",""Ünïcode""]",[],[],A,' +
      "2026-07-20T12:00:00Z,2026-07-20T13:00:00Z,,[],weekly,,chosen,[],[],[]," +
      ",,[],true,true,[],[]", // --reactivate forgets why it bounced
      "bob@example.com,unverified,[],[],[],A,2026-07-20T12:00:00Z,,,[],weekly,,all,[],[],[],,,[],true,true,[],[]",
      "cid@example.com,unverified,[],[],[],A,2026-07-20T12:00:00Z,,,[],weekly,,all,[],[],[],,,[],true,true,[],[]",
      "",
    ]);
  });

  await t.step("import says who would get an email, and what is wrong with a file", async () => {
    const file = `${folder}-list.csv`;
    await Deno.writeTextFile(file, "name;email\nÄnn;ann@example.com\nEve;eve@example.com\nx;\n");
    const { code, out } = await run(folder, "subscriptions", "import", file, "--dry-run");
    assertEquals([code, out.split("\n")], [0, [
      "1 email to confirm would be sent",
      "1 already known here as verified: left as they are",
      "1 row cannot be read:",
      '  row 4: the address "" must not be empty',
      "",
    ]]);
    await Deno.writeFile(file, new Uint8Array([0xc3, 0x28, 0x81, 0x8d]));
    const refused: [args: string[], message: RegExp][] = [
      [[file], /neither UTF-8 nor windows-1252|not valid UTF-8/],
      [[file, "--encoding", "utf-8"], /it is not valid UTF-8/],
      [[`${file}.none`], /^Cannot read \S+-list\.csv\.none: /],
      [[folder], /is no file/],
    ];
    for (const [args, message] of refused) {
      const { code, err } = await run(folder, "subscriptions", "import", ...args);
      assertEquals(code, 1);
      match(err, message);
    }
    await Deno.remove(file);
  });

  await t.step("outbox lists waiting emails, and failed ones with the reason", async () => {
    const { code, out } = await run(folder, "outbox");
    assertEquals(code, 0);
    match(
      out,
      /^[0-9a-f-]{36} waiting cid@example\.com, 2026-07-20T12:00:00Z, 0 attempts, next attempt 2026-07-20T12:00:00Z$/m,
    );
    match(out, /^[0-9a-f-]{36} failed bob@example\.com, .*, 2 attempts\n {2}550 No such user$/m);
    match(out, /^2 failed, 2 waiting$/m);
  });

  await t.step("--retry makes emails due that somebody still needs", async () => {
    const { code, out } = await run(folder, "outbox", "--retry");
    assertEquals(code, 0);
    assertEquals(out, "3 emails are due now; a running server sends them\n");
    const mails = await listMails(database, { which: "unsent", limit: 10 });
    assertEquals(
      mails.map(({ email, status }) => [email, status]).toSorted(),
      [
        ["=cmd@example.com", "waiting"],
        ["ann@example.com", "failed"], // verified by now
        ["bob@example.com", "waiting"],
        ["cid@example.com", "waiting"],
      ],
    );
    const unknown = await run(folder, "outbox", "--retry", crypto.randomUUID());
    match(unknown.out, /^No such email/);
  });

  await t.step("--delete removes all data about a person", async () => {
    const { code, out } = await run(folder, "subscriptions", "--delete", " ANN@example.com");
    assertEquals(code, 0);
    assertEquals(out, "Deleted all data about ann@example.com\n");
    const again = await run(folder, "subscriptions", "--delete", "ann@example.com");
    assertEquals([again.code, again.out], [0, "There is no data about ann@example.com\n"]);
    const tables = await database.query<{ name: string }>(sql`
      select tablename as name from pg_tables where schemaname = 'public'
    `);
    for (const { name } of tables) {
      const script = `do $$ begin
        if exists (select from "${name}" as r where r::text like '%ann@example.com%')
        then raise 'still in ${name}'; end if; end $$`;
      await database.script(script);
    }
    const left = await database.query(sql`select count(*)::int as count from outbox`);
    assertEquals([...left], [{ count: 3 }]);
  });

  await t.step("invalid arguments print the usage", async () => {
    for (
      const [args, message] of [
        [["subscriptions", "--delete", "nobody"], /"nobody" must have an @/],
        [["subscriptions", "--delete", "a@example.com", "--export"], /Either --export or --delete/],
        [["subscriptions", "--reactivate", "nobody"], /"nobody" must have an @/],
        [["subscriptions", "all"], /Unexpected "all"/],
        [["subscriptions", "import"], /Which file is to be imported\?/],
        [["subscriptions", "import", "a.csv", "--export"], /Either import or --export/],
        [["subscriptions", "--dry-run"], /--dry-run and --encoding are of an import/],
        [["outbox", "--retry", "x"], /The id of an email is a UUID, not "x"/],
        [["outbox", "x"], /Unexpected "x"/],
      ] as const
    ) {
      const { code, err } = await run(folder, ...args);
      assertEquals(code, 2);
      match(err, message);
      match(err, /Usage: deno task /);
    }
  });

  await database.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("The commands report a database that is in use or unreachable", async () => {
  const folder = await Deno.makeTempDir();
  await copyMigrated(folder);
  const database = await openEmbedded(folder);
  const { code, err } = await run(folder, "outbox");
  assertEquals(code, 1);
  match(err, /is in use by process \d+/);
  await database.close();
  await Deno.remove(folder, { recursive: true });
  const away = await runHere(["subscriptions"], {
    DATABASE_URL: `postgres://nobody@127.0.0.1:${findFreePort()}/none`,
  });
  assertEquals(away.code, 1);
  match(away.err, /^The database cannot be reached/);
});
