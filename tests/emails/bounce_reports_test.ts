import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { recordLog } from "../support/log.ts";
import { stateOf, subscribe } from "../support/subjects/subscribing.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ANN = "ann@example.com";
const BOUNCE_SECRET = "a-secret-of-24-characters";
const NOW = Date.parse("2026-07-20T12:00:00Z") / 1000;

type Provider = "ses" | "postmark" | "mailgun";
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
  headers: Record<string, string> = basic(BOUNCE_SECRET),
) {
  return app.fetch(`/roadmap/api/bounces/${provider}`, {
    method: "POST",
    headers: { "Content-Type": "text/plain; charset=UTF-8", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** An Amazon SES notification, wrapped in an SNS message. */
function sns(notification: unknown): Record<string, unknown> {
  return {
    Type: "Notification",
    MessageId: crypto.randomUUID(),
    TopicArn: "arn:aws:sns:eu-west-1:123456789012:bounces",
    Message: typeof notification === "string" ? notification : JSON.stringify(notification),
    Timestamp: "2026-07-20T12:00:00.000Z",
    SignatureVersion: "1",
    Signature: "c2lnbmF0dXJl",
    SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
  };
}

function sesBounce(email: string, bounceType = "Permanent", name = "notificationType") {
  return {
    [name]: "Bounce",
    bounce: {
      feedbackId: crypto.randomUUID(),
      bounceType,
      bounceSubType: "General",
      bouncedRecipients: [{
        emailAddress: email,
        action: "failed",
        status: "5.1.1",
        diagnosticCode: "smtp; 550 5.1.1 <b>no such user</b>\r\n\u0000",
      }],
      timestamp: "2026-07-20T12:00:00.000Z",
    },
    mail: { messageId: "1", destination: [email] },
  };
}

function sesComplaint(email: string, complaintFeedbackType = "abuse") {
  return {
    eventType: "Complaint",
    complaint: {
      feedbackId: crypto.randomUUID(),
      complainedRecipients: [{ emailAddress: email }],
      complaintFeedbackType,
    },
  };
}

let postmarkId = 0;

function postmark(email: string, Type = "HardBounce", RecordType = "Bounce") {
  postmarkId++;
  return {
    RecordType,
    ID: postmarkId,
    Type,
    Email: email,
    Description: "The server was unable to deliver your message.",
    Details: "smtp;550 5.1.1 no such user",
    Inactive: true,
  };
}

function sign(key: string, { timestamp = String(NOW), token = crypto.randomUUID() } = {}) {
  const signature = createHmac("sha256", key).update(timestamp + token).digest("hex");
  return { timestamp, token, signature };
}

function mailgun(email: string, event = "failed", severity = "permanent") {
  return {
    signature: sign(BOUNCE_SECRET),
    "event-data": {
      event,
      severity,
      recipient: email,
      reason: "bounce",
      "delivery-status": { code: 550, message: "5.1.1 no such user" },
    },
  };
}

const PERMANENT: Record<Provider, (email: string) => unknown> = {
  ses: (email) => sns(sesBounce(email)),
  postmark: (email) => postmark(email),
  mailgun: (email) => mailgun(email),
};

const COMPLAINTS: Record<Provider, (email: string) => unknown> = {
  ses: (email) => sns(sesComplaint(email)),
  postmark: (email) => postmark(email, "SpamComplaint", "SpamComplaint"),
  mailgun: (email) => mailgun(email, "complained"),
};

const PROVIDERS = Object.keys(PERMANENT) as Provider[];

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

for (const provider of PROVIDERS) {
  slowOnDatabases(`${provider}: three bounces in a row set a mailbox aside`, async (database) => {
    await using services = await start(database);
    const bounce = async () => {
      assertEquals(await send(database, services), 1);
      const response = await post(services, provider, PERMANENT[provider](ANN));
      assertEquals([response.status, await response.json()], [200, { status: "ok" }]);
    };
    await bounce();
    await bounce();
    assertEquals(await send(database, services), 1);
    assertEquals(await send(database, services), 1); // the previous one did not bounce
    await bounce();
    await bounce();
    assertEquals(await stateOf(database, ANN), "verified");
    await bounce();
    assertEquals(await stateOf(database, ANN), "bounced");
    assertEquals(await send(database, services), 0);
    const [{ refusal_reason }] = await database.query<{ refusal_reason: string }>(sql`
      select refusal_reason from subscriptions
    `) as [{ refusal_reason: string }];
    match(refusal_reason, /no such user/);
    doesNotMatch(refusal_reason, /\p{Cc}/u);

    // Verifying the address again resets the count.
    services.mail.received.length = 0;
    await services.verify(ANN);
    await bounce();
    await bounce();
    assertEquals(await stateOf(database, ANN), "verified");
  });

  testOnDatabases(`${provider}: a complaint sets a mailbox aside at once`, async (database) => {
    await using log = await recordLog();
    await using services = await start(database);
    assertEquals((await post(services, provider, COMPLAINTS[provider](ANN))).status, 200);
    assertEquals(await stateOf(database, ANN), "bounced");
    const lines = log.lines.filter((line) => line.includes("get no more"));
    assertEquals(lines.length, 1);
    assertEquals(log.lines.filter((line) => line.includes("ann@") || line.includes("secret")), []);
  });

  testOnDatabases(`${provider}: a repeated or forged report changes nothing`, async (database) => {
    await using services = await start(database);
    const body = PERMANENT[provider](ANN);
    for (const _ of [1, 2, 3, 4]) assertEquals((await post(services, provider, body)).status, 200);
    await Promise.all([1, 2, 3].map(() => post(services, provider, body)));
    assertEquals(await refusalsOf(database), 1);

    const forged = provider === "mailgun"
      ? [
        { ...mailgun(ANN, "complained"), signature: sign("another-secret-of-27-letters") },
        { ...mailgun(ANN, "complained"), signature: { ...sign(BOUNCE_SECRET), token: "other" } },
        { ...mailgun(ANN, "complained"), signature: {} },
        { ...mailgun(ANN, "complained"), signature: undefined },
        {
          ...mailgun(ANN, "complained"),
          signature: sign(BOUNCE_SECRET, { timestamp: String(NOW - 90_000) }),
        },
        {
          ...mailgun(ANN, "complained"),
          signature: sign(BOUNCE_SECRET, { timestamp: String(NOW + 90_000) }),
        },
      ]
      : [COMPLAINTS[provider](ANN)];
    const credentials: Record<string, string>[] = [
      {},
      basic("wrong"),
      basic(""),
      basic(`${BOUNCE_SECRET}x`),
      { Authorization: `Bearer ${BOUNCE_SECRET}` },
      { Authorization: "Basic %" },
    ];
    const status = provider === "mailgun" ? 403 : 401;
    for (const body of forged) {
      for (const headers of credentials) {
        const refused = await post(services, provider, body, headers);
        // After 30 failures an hour the client gets 429.
        assertEquals([status, 429].includes(refused.status), true, String(refused.status));
        assertEquals(refused.headers.has("www-authenticate"), refused.status === 401);
      }
    }
    assertEquals([await stateOf(database, ANN), await refusalsOf(database)], ["verified", 1]);
    services.app.advance(3601);
    assertEquals((await post(services, provider, PERMANENT[provider](ANN))).status, 200);
    assertEquals(await refusalsOf(database), 1, "there was only one email");
  });

  testOnDatabases(
    `${provider}: emails that come back in pairs set a mailbox aside, single ones do not`,
    async (database) => {
      await using services = await start(database);
      let sent = 0;
      const send = async () => {
        await services.import(Array.from({ length: ++sent }, (_, place) => makeItem(place + 1)));
        services.advance(60);
        return (await services.digest()).length;
      };
      const report = () => post(services, provider, PERMANENT[provider](ANN));
      for (let round = 0; round < 4; round++) {
        assertEquals([await send(), await send()], [1, 1]);
        await report();
        assertEquals(await refusalsOf(database), 1);
      }
      assertEquals([await send(), await send()], [1, 1]);
      await report();
      await report();
      // The older one of the last two was not the first to come back.
      assertEquals(await stateOf(database, ANN), "bounced");
      assertEquals(await send(), 0);
    },
  );

  testOnDatabases(`${provider}: every address gets the same response`, async (database) => {
    await using services = await start(database);
    const unverified = await services.subscribe("new@example.com");
    assertEquals(unverified !== undefined, true);
    await services.verify("gone@example.com");
    await services.app.fetch(linkOf(services.newestTo("gone@example.com"), "/unsubscribe"));
    for (const email of ["nobody@example.com", "new@example.com", "gone@example.com", "x", ""]) {
      const response = await post(services, provider, COMPLAINTS[provider](email));
      assertEquals([response.status, await response.text()], [200, '{"status":"ok"}']);
    }
    assertEquals(await stateOf(database, "nobody@example.com"), undefined);
    assertEquals(await stateOf(database, "new@example.com"), "unverified");
    assertEquals(await stateOf(database, "gone@example.com"), "unsubscribed");
    // The address is normalised.
    await post(services, provider, COMPLAINTS[provider](" Ann@EXAMPLE.com "));
    assertEquals(await stateOf(database, ANN), "bounced");
  });
}

testOnDatabases(
  "Who marked an email as spam is written to as one who unsubscribed",
  async (database) => {
    await using services = await start(database);
    await post(services, "postmark", COMPLAINTS.postmark(ANN));
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

testOnDatabases("Transient bounces and other events are ignored", async (database) => {
  await using services = await start(database);
  const harmless: [Provider, unknown][] = [
    ["ses", sns(sesBounce(ANN, "Transient"))],
    ["ses", sns(sesBounce(ANN, "Undetermined"))],
    ["ses", sns(sesComplaint(ANN, "not-spam"))],
    ["ses", sns({ notificationType: "Delivery", delivery: { recipients: [ANN] } })],
    ["ses", sns("Successfully validated SNS topic for Amazon SES event publishing.")],
    ["ses", { ...sns(sesBounce(ANN)), Type: "UnsubscribeConfirmation", Message: "Bye" }],
    ["ses", []],
    ["postmark", postmark(ANN, "SoftBounce")],
    ["postmark", postmark(ANN, "Transient")],
    ["postmark", postmark(ANN, "Blocked")],
    ["postmark", { RecordType: "Delivery", ID: 1, Recipient: ANN }],
    ["postmark", null],
    ["mailgun", mailgun(ANN, "failed", "temporary")],
    ["mailgun", mailgun(ANN, "delivered")],
    ["mailgun", { signature: sign(BOUNCE_SECRET) }],
  ];
  for (const [provider, body] of harmless) {
    const { status } = await post(services, provider, body);
    assertEquals([provider, body, status], [provider, body, 200]);
  }
  assertEquals([await stateOf(database, ANN), await refusalsOf(database)], ["verified", 0]);
});

testOnDatabases("Raw SES messages and configuration set events are accepted", async (database) => {
  await using services = await start(database);
  await post(services, "ses", sesBounce(ANN));
  await services.import([makeItem(1)]);
  services.advance(60);
  assertEquals((await services.digest()).length, 1);
  await post(services, "ses", sns(sesBounce(ANN, "Permanent", "eventType")));
  assertEquals(await refusalsOf(database), 2);
});

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

testOnDatabases("Bounce reports are size-limited, and off without a secret", async (database) => {
  {
    await using app = await startApp(database, { BASE_URL: "https://example.com/roadmap" });
    for (const provider of PROVIDERS) {
      assertEquals((await post({ app }, provider, PERMANENT[provider](ANN))).status, 404);
    }
  }
  await using services = await start(database);
  for (const provider of PROVIDERS) {
    assertEquals((await post(services, provider, "{")).status, 400);
    assertEquals((await post(services, provider, `"${"x".repeat(600_000)}"`)).status, 413);
    assertEquals((await services.app.fetch(`/roadmap/api/bounces/${provider}`)).status, 405);
  }
  assertEquals((await post(services, "sendgrid", {})).status, 404);
});

testOnDatabases(
  "Guesses of the secret are limited, however many arrive at once",
  async (database) => {
    await using services = await start(database);
    const report = { RecordType: "Bounce", Type: "HardBounce", Email: "eve@example.com" };
    const guess = (secret: string) => post(services, "postmark", report, basic(secret));
    const guesses = Array.from(
      { length: 60 },
      (_, place) => guess(place < 59 ? `wrong-${place}` : BOUNCE_SECRET),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assertEquals(statuses.filter((status) => status === 429).length, 30);
    assertEquals(statuses.at(-1), 429);
    assertEquals((await guess(BOUNCE_SECRET)).status, 429);
    services.app.advance(3601);
    for (let time = 0; time < 40; time++) assertEquals((await guess(BOUNCE_SECRET)).status, 200);
  },
);

testOnDatabases("A long secret is let in whatever others tried", async (database) => {
  const secret = "a-secret-of-at-least-32-characters";
  await using services = await startDigests(database, { BOUNCE_SECRET: secret });
  const report = { RecordType: "Bounce", Type: "HardBounce", Email: "eve@example.com" };
  for (let place = 0; place < 31; place++) {
    await post(services, "postmark", report, basic(`wrong-${place}`));
  }
  assertEquals((await post(services, "postmark", report, basic("wrong"))).status, 429);
  assertEquals((await post(services, "postmark", report, basic(secret))).status, 200);
});

/** A delivery report of Azure Communication Services, as Event Grid posts it. */
function azure(recipient: string, status = "Bounced") {
  return [{
    id: crypto.randomUUID(),
    topic: "/subscriptions/1/providers/microsoft.communication/communicationservices/ours",
    subject: `sender/roadmap@example.com/message/${crypto.randomUUID()}`,
    eventType: "Microsoft.Communication.EmailDeliveryReportReceived",
    eventTime: "2026-07-20T12:00:00Z",
    dataVersion: "1.0",
    data: {
      sender: "roadmap@example.com",
      recipient,
      messageId: crypto.randomUUID(),
      status,
      deliveryStatusDetails: { statusMessage: "550 5.1.1 no such user" },
      deliveryAttemptTimeStamp: "2026-07-20T12:00:00Z",
    },
  }];
}

testOnDatabases("azure: the handshake is answered, and what bounced counts", async (database) => {
  await using services = await start(database);
  const byCode = `azure?code=${BOUNCE_SECRET}`;
  const handshake = [{
    id: "1",
    eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
    data: { validationCode: "512d38b6" },
  }];
  const answer = await post(services, byCode, handshake, {});
  assertEquals([answer.status, await answer.json()], [200, { validationResponse: "512d38b6" }]);
  assertEquals(await send(database, services), 1);
  for (const status of ["Delivered", "Failed", "Expanded"]) {
    assertEquals((await post(services, byCode, azure(ANN, status), {})).status, 200);
  }
  assertEquals(await refusalsOf(database), 0);
  const report = azure(ANN);
  const bearer = { Authorization: `Bearer ${BOUNCE_SECRET}` };
  assertEquals((await post(services, "azure", report, bearer)).status, 200);
  assertEquals((await post(services, "azure", report, bearer)).status, 200);
  assertEquals(await refusalsOf(database), 1);
  for (const [path, headers] of [["azure", {}], ["azure?code=wrong", {}]] as const) {
    const refused = await post(services, path, handshake, headers);
    assertEquals([path, refused.status], [path, 401]);
    doesNotMatch(await refused.text(), /512d38b6/);
  }
  assertEquals((await post(services, byCode, [{ id: 1 }], {})).status, 200);
});
