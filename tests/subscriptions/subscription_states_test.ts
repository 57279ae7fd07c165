import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { pruneSubscriptions } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { linkOf, type MailServer, startMailServer } from "../support/servers/mail_server.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const PEOPLE = ["a@example.com", "b@example.com"];
const HOUR = 3600;
const DAY = 24 * HOUR;

type Action = { kind: "subscribe"; person: number; times: number } | { kind: "send" } | {
  kind: "verify" | "unsubscribe" | "look";
  mail: number;
} | { kind: "wait"; seconds: number };

const person = fc.nat(PEOPLE.length - 1);
const visit = fc.constantFrom(
  "verify" as const,
  "verify" as const,
  "unsubscribe" as const,
  "look" as const,
);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("subscribe" as const),
      person,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("send" as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: visit, mail: fc.nat(7) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      seconds: fc.constantFrom(60, HOUR, 23 * HOUR, DAY - 1, DAY, 29 * DAY, 31 * DAY),
    }),
  },
);

/** The specification for one address: its state, its requests and its valid emails. */
class Model {
  state: "unverified" | "verified" | "unsubscribed" | null = null;
  requestedAt = 0;
  /** When the emails of the current subscription were requested, in seconds. */
  mailedAt: number[] = [];
  isWaiting = false;
  /** Unsubscribed, and not verified since. */
  isRefused = false;
  /** When an email was requested after that. */
  mailedSinceAt: number | null = null;
  /** Links by the number of their email; a new subscription has none of the earlier ones. */
  links = new Map<number, { endsAt: number; isVoid: boolean; isUsed: boolean }>();

  subscribe(now: number): void {
    if (this.state === "verified") return;
    if (this.mailedAt.filter((at) => at > now - DAY).length >= 3) return;
    if (this.mailedSinceAt !== null && this.mailedSinceAt > now - DAY) return;
    if (this.isRefused) this.mailedSinceAt = now;
    this.state = "unverified";
    this.requestedAt = now;
    this.mailedAt.push(now);
    this.isWaiting = true;
    this.#voidLinks();
  }

  send(mail: number, now: number): void {
    this.isWaiting = false;
    this.links.set(mail, { endsAt: now + DAY, isVoid: false, isUsed: false });
  }

  verify(mail: number, now: number): number {
    const link = this.links.get(mail);
    if (!link || link.isVoid || !(link.isUsed || now < link.endsAt)) return 404;
    if (!link.isUsed) {
      link.isUsed = true;
      this.state = "verified";
      this.isWaiting = false;
      this.isRefused = false;
      this.mailedSinceAt = null;
    }
    return 200;
  }

  unsubscribe(mail: number): number {
    if (!this.links.has(mail)) return 404;
    this.state = "unsubscribed";
    this.isWaiting = false;
    this.isRefused = true;
    this.#voidLinks();
    return 200;
  }

  prune(now: number): void {
    if (this.state === "unverified" && this.requestedAt < now - 30 * DAY) {
      if (!this.isRefused) Object.assign(this, new Model());
      else Object.assign(this, { state: "unsubscribed", isWaiting: false });
    }
    // The links of a remaining subscription are void or expired long before.
    for (const link of this.links.values()) {
      if (link.endsAt < now - 29 * DAY) link.isVoid = true;
    }
  }

  #voidLinks(): void {
    for (const link of this.links.values()) link.isVoid = true;
  }
}

/** An email that waits until its request has expired, after its recipient unsubscribed. */
const LAPSED: Action[] = [
  { kind: "unsubscribe", mail: 0 },
  { kind: "subscribe", person: 0, times: 1 },
  { kind: "wait", seconds: 31 * DAY },
  { kind: "send" },
  { kind: "verify", mail: 1 },
];

slowOnDatabases("States match the model for any requests, links and days", async (database) => {
  await using server = await startMailServer();
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 24 }), async (actions) => {
      await database.query(sql`delete from subscriptions`);
      server.received.length = 0;
      await using app = await startApp(database, {
        SMTP_URL: server.url,
        MAIL_FROM: "roadmap@example.com",
        SUBSCRIBE_LIMIT: "1000000",
      });
      await database.query(sql`delete from request_counts`);
      const begin: Action[] = [{ kind: "subscribe", person: 0, times: 1 }, { kind: "send" }];
      await follow([...begin, ...actions], { app, server, database });
    }),
    { numRuns: runs(40, database), examples: [[LAPSED]] },
  );
});

async function follow(
  actions: Action[],
  { app, server, database }: { app: TestApp; server: MailServer; database: Database },
): Promise<void> {
  const models = PEOPLE.map(() => new Model());
  const start = Date.parse("2026-07-20T12:00:00Z") / 1000;
  let now = start;
  /** The recipient of each email, by its number. */
  const receivers: number[] = [];
  for (const action of actions) {
    switch (action.kind) {
      case "subscribe": {
        const body = JSON.stringify({ email: PEOPLE[action.person] });
        // Concurrently: the outcome is the same in any order.
        const responses = await Promise.all(
          Array.from({ length: action.times }, () =>
            app.fetch("/api/subscribe", {
              method: "POST",
              headers: { "Content-Type": "application/json" },
              body,
            })),
        );
        for (const { status } of responses) {
          assertEquals(status, 202);
          models[action.person]!.subscribe(now);
        }
        break;
      }
      case "send": {
        await app.sendMails();
        const awaited = PEOPLE.filter((_, index) => models[index]!.isWaiting);
        const fresh = server.received.slice(receivers.length);
        assertEquals(fresh.map(({ envelopeTo }) => envelopeTo[0]).sort(), awaited);
        for (const { envelopeTo } of fresh) {
          const receiver = PEOPLE.indexOf(envelopeTo[0]!);
          models[receiver]!.send(receivers.length, now);
          receivers.push(receiver);
        }
        break;
      }
      case "wait":
        now += action.seconds;
        app.advance(action.seconds);
        await pruneSubscriptions(database, new Date(now * 1000));
        for (const model of models) model.prune(now);
        break;
      default: {
        if (receivers.length === 0) break;
        const mail = action.mail % receivers.length;
        const receiver = receivers[mail]!;
        const path = action.kind === "unsubscribe" ? "/unsubscribe" : "/verify-email";
        const link = linkOf(server.received[mail]!, path);
        const method = action.kind === "look" ? "HEAD" : "GET";
        const response = await app.fetch(link, { method });
        await response.body?.cancel();
        const model = models[receiver]!;
        if (action.kind === "verify") {
          assertEquals(response.status, model.verify(mail, now));
        } else if (action.kind === "unsubscribe") {
          assertEquals(response.status, model.unsubscribe(mail));
        }
        await database.query(sql`delete from request_counts`);
      }
    }
    const stored = await database.query<{ email: string; state: string }>(
      sql`select email, state from subscriptions`,
    );
    const states = PEOPLE.map((email) => stored.find((row) => row.email === email)?.state ?? null);
    assertEquals(states, models.map(({ state }) => state));
  }
}
