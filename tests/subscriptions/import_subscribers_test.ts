import { deepStrictEqual as assertEquals, match, ok as assert, throws } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { exportSubscribers } from "../../lib/delivery/subscriptions/export_subscribers.ts";
import {
  describeBrought,
  importSubscribers,
  previewSubscribers,
} from "../../lib/delivery/subscriptions/import_subscribers.ts";
import { readSubscriberFile } from "../../lib/delivery/subscriptions/subscriber_file.ts";
import { TODAY } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { NOW, startDigests } from "../support/subjects/digests.ts";
import { startWithMail, stateOf, subscribe } from "../support/subjects/subscribing.ts";

/** What other services export: the file, who gets an email, and how many are left out as what. */
const EXPORTS: Record<string, [file: string, invited: string[], leftOut?: Record<string, number>]> =
  {
    "a plain list": ["ann@example.com\nbob@example.com\r\n\n", ["ann", "bob"]],
    "a line of addresses": ["ann@example.com; Bob Bee <bob@example.com>;", ["ann", "bob"]],
    "a list with a title": ["Subscribers\nann@example.com\nbob@example.com", ["ann", "bob"]],
    Mailchimp: [
      `"Email Address","First Name",MEMBER_RATING,OPTIN_TIME,TAGS
ann@example.com,Ann,2,"2024-01-01 10:00:00","""VIP"",""x"""
bob@example.com,Bob,3,"2024-01-02 10:00:00",`,
      ["ann", "bob"],
    ],
    "Mailchimp, unsubscribed and cleaned": [
      `"Email Address","First Name",OPTIN_TIME,UNSUB_TIME,CLEAN_TIME
ann@example.com,Ann,2024-01-01,2024-05-01 10:00:00,
bob@example.com,Bob,2024-01-01,,2024-05-01 10:00:00
eve@example.com,Eve,2024-01-01,,`,
      ["eve"],
      { unsub_time: 1, clean_time: 1 },
    ],
    Substack: [
      `email,active_subscription,expiry,plan,email_disabled,created_at
ann@example.com,false,,free,false,2024-01-01
bob@example.com,true,2027-01-01,yearly,true,2024-01-01`,
      ["ann"],
      { email_disabled: 1 },
    ],
    Ghost: [
      `id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels
1,ann@example.com,Ann,,true,false,,2024-01-01T00:00:00.000Z,,
2,bob@example.com,Bob,,false,false,,2024-01-01T00:00:00.000Z,,
3,eve@example.com,Eve,,true,false,,2024-01-01T00:00:00.000Z,2024-02-01T00:00:00.000Z,x`,
      ["ann"],
      { "not subscribed_to_emails": 1, deleted_at: 1 },
    ],
    listmonk: [
      `uuid,email,name,attributes,status,created_at,updated_at
4f1c,ann@example.com,Ann,"{""city"": ""Bonn""}",enabled,2024-01-01,2024-01-01
4f1d,bob@example.com,Bob,{},blocklisted,2024-01-01,2024-01-01
4f1e,eve@example.com,Eve,{},disabled,2024-01-01,2024-01-01`,
      ["ann"],
      { blocklisted: 1, disabled: 1 },
    ],
    Buttondown: [
      `email_address,notes,metadata,tags,referrer_url,creation_date,type,source
ann@example.com,,{},news,,2024-01-01,regular,import
bob@example.com,,{},,,2024-01-01,unactivated,import
eve@example.com,,{},,,2024-01-01,premium,import
joe@example.com,,{},,,2024-01-01,complained,import`,
      ["ann", "eve"],
      { unactivated: 1, complained: 1 },
    ],
    "a state that nobody knows": [
      "Name;E-Mail;Status\nAnn;ann@example.com;subscribed\nBob;bob@example.com;En pause",
      ["ann"],
      { "en pause": 1 },
    ],
    "tabs, with names that have an @": [
      "handle\temail\n@ann\tann@example.com\n@bob\tbob@example.com",
      ["ann", "bob"],
    ],
  };

/** The addresses that wait for an email to confirm, without their host. */
async function invitedIn(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string }>(sql`
    select split_part(email, '@', 1) as name
    from outbox join subscriptions using (subscription_id)
    where outbox.kind = 'invitation'
    order by email
  `);
  return rows.map(({ name }) => name);
}

const importText = (database: Database, text: string) =>
  importSubscribers(database, readSubscriberFile(text), { variants: ["A"], now: NOW });

testOnDatabases("The exports of other services are read as they are", async (database) => {
  for (const [service, [text, invited, leftOut = {}]] of Object.entries(EXPORTS)) {
    await emptyDatabase(database);
    const file = readSubscriberFile(text);
    assertEquals([service, file.problems], [service, []]);
    assertEquals([service, Object.fromEntries(file.leftOut)], [service, leftOut]);
    assertEquals((await previewSubscribers(database, file)).invited, invited.length);
    assertEquals(await invitedIn(database), [], "a preview writes nothing");
    await importText(database, text);
    assertEquals([service, await invitedIn(database)], [service, invited]);
  }
});

testOnDatabases(
  "Each new address gets one email, and others stay as they are",
  async (database) => {
    await using services = await startDigests(database, { VERIFICATION_LIMIT: "3" });
    const { app, mail } = services;
    await services.verify("ann@example.com", { cadence: "daily" });
    await services.verify("gone@example.com");
    await app.fetch(linkOf(services.newestTo("gone@example.com"), "/unsubscribe"));
    await services.verify("bad@example.com");
    await database.query(sql`
    update subscriptions set state = 'bounced', refused_at = now() where email = 'bad@example.com'
  `);
    mail.received.length = 0;
    const text = [
      "email,cadence,products",
      'new@example.com,daily,"[""Maps, and more"",""Mail""]"',
      "NEW@example.com,weekly,",
      "ann@example.com,weekly,",
      "gone+again@example.com,,",
      "bad@example.com,,",
      "two@example.com,,",
      "no address,,",
      "wrong@example.com,hourly,",
    ].join("\n");
    for (const isDone of [false, true]) {
      const file = readSubscriberFile(text);
      const brought = isDone
        ? await importSubscribers(database, file, { variants: ["A"], now: NOW })
        : await previewSubscribers(database, file);
      assertEquals(
        describeBrought(file, brought, { isDone }).sort(),
        [
          `2 emails to confirm ${isDone ? "will" : "would"} be sent`,
          "1 already known here as verified: left as they are",
          "1 already known here as unsubscribed: left as they are",
          "1 already known here as bounced: left as they are",
          "1 repeated in the file",
          "2 rows cannot be read:",
          '  row 8: the address "no address" must have an @, as in name@example.com',
          '  row 9: "cadence" must be one of immediate, daily, weekly',
        ].sort(),
      );
    }
    await importText(database, text);
    await app.sendMails();
    assertEquals(mail.received.map(({ envelopeTo: [to] }) => to).sort(), [
      "new@example.com",
      "two@example.com",
    ]);
    assertEquals(await stateOf(database, "gone@example.com"), "unsubscribed");
    assertEquals(await stateOf(database, "gone+again@example.com"), undefined);

    // The limit of requests, which is used up, holds no invitation back, and counts none.
    const newest = services.newestTo("new@example.com");
    match(newest.text!, /You were subscribed to updates from Roadcast/);
    assertEquals((await app.fetch(linkOf(newest, "/verify-email"))).status, 200);
    assertEquals(await stateOf(database, "new@example.com"), "verified");
    const [stored] = await database.query<{ cadence: string; filter: unknown }>(sql`
    select cadence, filter from subscriptions where email = 'new@example.com'
  `);
    assertEquals({ ...stored! }, {
      cadence: "daily",
      filter: { product_name: ["Mail", "Maps, and more"] },
    });
    mail.received.length = 0;
    await importText(database, text);
    await app.sendMails();
    assertEquals(mail.received, [], "a repeated import sends no second email");
  },
);

testOnDatabases(
  "Invitations use up no limit of requests, and wait behind them",
  async (database) => {
    await using services = await startWithMail(database, { VERIFICATION_LIMIT: "1" });
    const { app, mail } = services;
    await importText(database, "ann@example.com\nbob@example.com\neve@example.com");
    assertEquals((await subscribe(app, { email: "joe@example.com" })).status, 202);
    // Who asks meanwhile gets that email alone.
    app.advance(3601);
    assertEquals((await subscribe(app, { email: "bob@example.com" })).status, 202);
    const taken = await database.query<{ priority: number; kind: string }>(sql`
    select distinct kind, priority from outbox where status = 'waiting' order by priority
  `);
    assertEquals(taken.map(({ kind }) => kind), ["verification", "invitation"]);
    await app.sendMails();
    assertEquals(mail.received.map(({ envelopeTo: [to] }) => to!.split("@")[0]).sort(), [
      "ann",
      "bob",
      "eve",
      "joe",
    ]);
  },
);

testOnDatabases("What the export writes is read back", async (database) => {
  await using services = await startDigests(database);
  const wishes = {
    "all@example.com": {},
    "chosen@example.com": {
      products: ['A "quoted", one', "=cmd; x"],
      tags: ["Area:Web"],
      kinds: ["slipped"],
      cadence: "daily",
      reminders: false,
    },
    "=formula@example.com": { searches: ["audit log"], cadence: "immediate", due: ["overdue"] },
  };
  for (const [email, preferences] of Object.entries(wishes)) {
    await services.verify(email, preferences);
  }
  await services.subscribe("waiting@example.com");
  const columns = sql`select email, variant, scope, filter, releases, cadence, upcoming, reminders
    from subscriptions where email <> 'waiting@example.com' order by email`;
  const before = await database.query(columns);
  const text = (await Array.fromAsync(exportSubscribers(database, TODAY))).join("");
  await emptyDatabase(database);
  const file = readSubscriberFile(text);
  assertEquals([file.problems, [...file.leftOut]], [[], [["unverified", 1]]]);
  await importSubscribers(database, file, { variants: ["A"], now: NOW });
  assertEquals(await database.query(columns), before);
});

Deno.test("A file that is no list of subscribers is refused in a sentence", () => {
  const refused: [text: string, reason: RegExp][] = [
    ["", /The file is empty/],
    [" \n\n", /The file is empty/],
    ["name,city\nAnn,Bonn", /No column of the file has email addresses/],
    ["email\n", /No column of the file has email addresses/],
    ["name,home,work\nAnn,a@example.com,b@example.com", /Two columns .* "home" and "work"/],
    ['email\n"ann@example.com', /Row 2 of the file has a quotation mark that does not end/],
    ['[{"email": "ann@example.com"}]', /it takes a CSV file/],
    ["<html>ann@example.com</html>", /it takes a CSV file/],
    ["a@example.com\n".repeat(500_001), /has 500,001 rows, more than 500,000: split it/],
  ];
  for (const [text, reason] of refused) {
    throws(() => readSubscriberFile(text), reason);
  }
  const { subscribers } = readSubscriberFile("name,email,work\nAnn,a@example.com,b@example.com");
  assertEquals(subscribers.map(({ email }) => email), ["a@example.com"]);
  assert(subscribers[0]!.row === 2);
});
