import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import {
  countSubscriptions,
  readBounced,
} from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import {
  ANN,
  BOUNCE_SECRET,
  mailgun,
  postmark,
  PROVIDERS,
  sns,
} from "../support/subjects/bounces.ts";
import { readStatuses, startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { recordLog } from "../support/log.ts";
import { verifyAll } from "../support/subjects/clock.ts";
import { stateOf, subscribe } from "../support/subjects/subscribing.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

type Services = Awaited<ReturnType<typeof startDigests>>;

/** A service with Ann as a verified subscriber. */
async function start(database: Database): Promise<Services> {
  const services = await startDigests(database, { BOUNCE_SECRET });
  await services.verify(ANN);
  return services;
}

function basic(password: string, user = "roadcast"): Record<string, string> {
  return { Authorization: `Basic ${btoa(`${user}:${password}`)}` };
}

function post(
  { app }: Pick<Services, "app">,
  provider: string,
  body: unknown,
  headers: Record<string, string> = provider === "azure"
    ? { Authorization: `Bearer ${BOUNCE_SECRET}` }
    : basic(BOUNCE_SECRET),
) {
  return app.fetch(`/roadmap/api/bounces/${provider}`, {
    method: "POST",
    headers: { "Content-Type": "text/plain; charset=UTF-8", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Imports a change and sends its digest, which the mail server accepts or refuses. */
async function send(database: Database, services: Services): Promise<number> {
  services.advance(60); // which of two emails is newer counts
  await importItems(database, [makeItem(1, { feature_name: crypto.randomUUID() })]);
  return (await services.digest()).length;
}

async function refusalsOf(database: Database, email = ANN): Promise<number> {
  const [row] = await database.query<{ refusals: number }>(sql`
    select refusals from subscriptions where email = ${email}
  `);
  return row!.refusals;
}

for (const [name, provider] of Object.entries(PROVIDERS)) {
  testOnDatabases(`${name}: bounces and complaints count, and nothing else`, async (database) => {
    await using log = await recordLog();
    await using services = await start(database);
    const report = async (body: unknown) => {
      const response = await post(services, name, body);
      assertEquals([response.status, await response.text()], [200, '{"status":"ok"}']);
    };
    for (const body of provider.harmless) await report(body);
    assertEquals([await stateOf(database, ANN), await refusalsOf(database)], ["verified", 0]);
    for (const bounce of [provider.bounce, ...provider.bounces ?? []]) {
      await database.query(sql`update outbox set came_back = false, status = 'sent'`);
      await report(bounce(ANN));
      assertEquals(await refusalsOf(database), 1);
    }
    const [{ reason }] = await database.query<{ reason: string }>(sql`
      select refusal_reason as reason from subscriptions
    `) as [{ reason: string }];
    match(reason, /no such user/);
    doesNotMatch(reason, /\p{Cc}/u);

    const { complaint } = provider;
    if (complaint === null) return;
    await services.subscribe("new@example.com");
    await services.verify("gone@example.com");
    await services.app.fetch(linkOf(services.newestTo("gone@example.com"), "/unsubscribe"));
    for (const email of ["nobody@example.com", "new@example.com", "gone@example.com", "x", ""]) {
      await report(complaint(email));
    }
    assertEquals(await stateOf(database, "nobody@example.com"), undefined);
    assertEquals(await stateOf(database, "new@example.com"), "unverified");
    assertEquals(await stateOf(database, "gone@example.com"), "unsubscribed");
    assertEquals(await stateOf(database, ANN), "verified");
    await report(complaint(" Ann@EXAMPLE.com "));
    assertEquals(await stateOf(database, ANN), "bounced");
    assertEquals(log.lines.filter((line) => line.includes("get no more")).length, 1);
    assertEquals(log.lines.filter((line) => line.includes("ann@") || line.includes("secret")), []);
  });

  testOnDatabases(`${name}: nobody without the secret reports anything`, async (database) => {
    await using services = await start(database);
    const credentials: Record<string, string>[] = [
      {},
      basic("wrong"),
      basic(""),
      basic(`${BOUNCE_SECRET}x`),
      { Authorization: `Bearer ${BOUNCE_SECRET}x` },
      { Authorization: "Basic %" },
    ];
    for (const body of provider.forged ?? [provider.bounce(ANN)]) {
      for (const headers of credentials) {
        const refused = await post(services, name, body, headers);
        // After 30 failures an hour the client gets 429.
        assertEquals([provider.status, 429].includes(refused.status), true);
        assertEquals(refused.headers.has("www-authenticate"), refused.status === 401);
      }
    }
    assertEquals([await stateOf(database, ANN), await refusalsOf(database)], ["verified", 0]);
    services.app.advance(3601);
    assertEquals((await post(services, name, "{")).status, 400);
    assertEquals((await post(services, name, `"${"x".repeat(1_100_000)}"`)).status, 413);
    assertEquals((await services.app.fetch(`/roadmap/api/bounces/${name}`)).status, 405);
  });

  testOnDatabases(
    `${name}: each bounce counts once, however events are grouped, repeated and ordered`,
    async (database) => {
      const emails = ["ann", "bob", "eve"].map((name) => `${name}@example.com`);
      await using services = await startDigests(database, { BOUNCE_SECRET });
      for (const email of emails) await services.subscribe(email);
      await verifyAll(database);
      const again = provider.again ?? ((event) => event);
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(...emails.map(() => fc.integer({ min: 0, max: 2 }))),
          fc.infiniteStream(fc.nat(1_000)),
          async (counts, random) => {
            const draw = (most: number) => random.next().value! % most;
            await database.query(sql`
              with forgotten as (delete from bounce_reports), emptied as (delete from outbox),
              healthy as (update subscriptions set refusals = 0)
              select 1
            `);
            await database.query(sql`
              insert into outbox (
                subscription_id, kind, status, changes_up_to, created_at, due_at, give_up_at,
                finished_at
              )
              select subscription_id, 'digest', 'sent', day, at, at, at, at
              from subscriptions,
                generate_series(1, 4) as days (day),
                lateral (select '2026-07-10'::timestamptz + make_interval(days => day)) as sent (at)
            `);
            const events = emails.flatMap((email, place) =>
              Array.from({ length: counts[place]! }, () => provider.bounce(email))
            );
            const copies = events.flatMap((
              event,
            ) => [event, ...Array.from({ length: draw(3) }, () => again(event))]);
            for (let place = copies.length - 1; place > 0; place--) {
              const other = draw(place + 1);
              [copies[place], copies[other]] = [copies[other], copies[place]];
            }
            while (copies.length > 0) {
              // Up to three at once, of up to three events each.
              const bodies = Array.from(
                { length: 1 + draw(3) },
                () => provider.joins ? copies.splice(0, 1 + draw(3)).flat() : copies.shift(),
              ).filter((
                body,
              ) => body !== undefined);
              const answers = await Promise.all(bodies.map((body) => post(services, name, body)));
              for (const { status } of answers) assertEquals(status, 200);
            }
            const counted: number[] = [];
            for (const email of emails) {
              counted.push(await refusalsOf(database, email));
            }
            assertEquals(counted, counts);
          },
        ),
        { numRuns: runs(40, database) },
      );
    },
  );
}

for (const how of ["reported", "refused"]) {
  slowOnDatabases(`Three emails in a row that are ${how} set a mailbox aside`, async (database) => {
    await using services = await start(database);
    const leave = linkOf(services.newestTo(ANN), "/unsubscribe");
    const bounce = async () => {
      if (how === "refused") {
        services.refuse(550);
        await send(database, services);
        return services.refuse(null);
      }
      assertEquals(await send(database, services), 1);
      await post(services, "postmark", postmark(ANN));
    };
    for (const _ of [1, 2]) await bounce();
    // One that arrives begins the count anew; of those that were reported the previous one did so too.
    for (const _ of [1, 2]) assertEquals(await send(database, services), 1);
    for (const _ of [1, 2]) await bounce();
    assertEquals(await stateOf(database, ANN), "verified");
    await bounce();
    assertEquals(await stateOf(database, ANN), "bounced");
    assertEquals((await countSubscriptions(database)).bounced, 1);
    const [bounced] = await readBounced(database, 10);
    assertEquals([bounced!.email, bounced!.refused_at], [ANN, "2026-07-20T12:07:00Z"]);
    match(bounced!.refusal_reason, how === "refused" ? /550 no/ : /no such user/);
    const before = (await readStatuses(database)).length;
    assertEquals(await send(database, services), 0);
    assertEquals((await readStatuses(database)).length, before, "no more mail");

    // Verifying the address again resumes digests, and resets the count.
    services.mail.received.length = 0;
    await services.verify(ANN);
    for (const _ of [1, 2]) await bounce();
    assertEquals(await stateOf(database, ANN), "verified");
    await services.app.fetch(leave);
    assertEquals(await stateOf(database, ANN), "unsubscribed");
  });
}

testOnDatabases(
  "Emails that come back in pairs set a mailbox aside, single ones do not",
  async (database) => {
    await using services = await start(database);
    const report = () => post(services, "postmark", postmark(ANN));
    for (let round = 0; round < 4; round++) {
      assertEquals([await send(database, services), await send(database, services)], [1, 1]);
      await report();
      assertEquals(await refusalsOf(database), 1);
    }
    assertEquals([await send(database, services), await send(database, services)], [1, 1]);
    await report();
    await report();
    // The older one of the last two was not the first to come back.
    assertEquals(await stateOf(database, ANN), "bounced");
    assertEquals(await send(database, services), 0);
  },
);

testOnDatabases(
  "Who marked an email as spam is written to as one who unsubscribed",
  async (database) => {
    await using services = await start(database);
    await post(services, "postmark", postmark(ANN, "SpamComplaint"));
    assertEquals(await stateOf(database, ANN), "bounced");
    for (const mails of [1, 0, 0]) {
      services.mail.received.length = 0;
      services.advance(3600);
      await subscribe(services.app, { email: ANN }, {}, "/roadmap");
      await services.app.sendMails();
      assertEquals(services.mail.received.length, mails);
    }
  },
);

testOnDatabases("A Mailgun signature is valid for one event only", async (database) => {
  await using services = await start(database);
  const { signature } = mailgun(ANN);
  const delivered = { ...mailgun(ANN, "delivered"), signature };
  assertEquals((await post(services, "mailgun", delivered)).status, 200);
  const replayed = { ...mailgun(ANN, "complained"), signature };
  assertEquals((await post(services, "mailgun", replayed)).status, 200);
  assertEquals(await stateOf(database, ANN), "verified");
});

testOnDatabases("An SNS subscription is confirmed only at an SNS URL", async (database) => {
  await using services = await start(database);
  const opened: string[] = [];
  const { fetch } = globalThis;
  let status = 200;
  globalThis.fetch = (input) => {
    opened.push(String(input));
    return Promise.resolve(new Response(null, { status }));
  };
  try {
    const ask = (SubscribeURL: string, headers = basic(BOUNCE_SECRET)) =>
      post(
        services,
        "ses",
        { ...sns("?"), Type: "SubscriptionConfirmation", SubscribeURL },
        headers,
      );
    const right = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=1";
    assertEquals((await ask(right, basic("wrong"))).status, 401);
    for (
      const wrong of [
        "http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
        "https://sns.eu-west-1.amazonaws.com.evil.example/?Action=ConfirmSubscription",
        "https://evil.example/?https://sns.eu-west-1.amazonaws.com/?",
        "https://sns.eu-west-1.amazonaws.com@evil.example/?x",
        "https://s3.eu-west-1.amazonaws.com/?x",
        "http://169.254.169.254/latest/meta-data",
      ]
    ) assertEquals([wrong, (await ask(wrong)).status], [wrong, 200]);
    assertEquals(opened, []);
    assertEquals((await ask(right)).status, 200);
    assertEquals(opened, [right]);
    status = 500;
    assertEquals((await ask(right)).status, 503);
  } finally {
    globalThis.fetch = fetch;
  }
});

testOnDatabases("Bounce reports are off without a secret", async (database) => {
  await using app = await startApp(database, { BASE_URL: "https://example.com/roadmap" });
  for (const [name, { bounce }] of Object.entries(PROVIDERS)) {
    assertEquals((await post({ app }, name, bounce(ANN))).status, 404);
  }
  await using services = await start(database);
  assertEquals((await post(services, "sendgrid", {})).status, 404);
});

testOnDatabases(
  "Guesses of a short secret are limited, however many arrive at once",
  async (database) => {
    const report = { RecordType: "Bounce", Type: "HardBounce", Email: "eve@example.com" };
    for (const secret of [BOUNCE_SECRET, "a-secret-of-at-least-32-characters"]) {
      const isLong = secret.length >= 32;
      await database.query(sql`delete from request_counts`);
      await using services = await startDigests(database, { BOUNCE_SECRET: secret });
      const guess = async (guessed: string) =>
        (await post(services, "postmark", report, basic(guessed))).status;
      const guesses = Array.from(
        { length: 60 },
        (_, place) => guess(place < 59 ? `wrong-${place}` : secret),
      );
      const statuses = await Promise.all(guesses);
      assertEquals(
        statuses.filter((status) => status === 429).length,
        isLong ? 29 : 30,
      );
      assertEquals([statuses.at(-1), await guess(secret)], isLong ? [200, 200] : [429, 429]);
      assertEquals(await guess("wrong"), 429);
      services.app.advance(3601);
      for (let time = 0; time < 40; time++) assertEquals(await guess(secret), 200);
    }
  },
);

testOnDatabases(
  "azure: the question of Event Grid is answered to who knows the secret",
  async (database) => {
    await using services = await start(database);
    const question = [{
      id: "1",
      eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
      data: { validationCode: "512d38b6" },
    }];
    const byCode = `azure?code=${BOUNCE_SECRET}`;
    const bearer = { Authorization: `Bearer ${BOUNCE_SECRET}` };
    for (const [path, headers] of [[byCode, {}], ["azure", bearer]] as const) {
      const answer = await post(services, path, question, headers);
      assertEquals([answer.status, await answer.json()], [200, { validationResponse: "512d38b6" }]);
    }
    for (const [path, headers] of [["azure", {}], ["azure?code=wrong", {}]] as const) {
      const refused = await post(services, path, question, headers);
      assertEquals([path, refused.status], [path, 401]);
      doesNotMatch(await refused.text(), /512d38b6/);
    }
  },
);
