import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { enableWebhook, findTarget } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { disableWebhook } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { type Receiver, startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";

/** A Monday at noon, after that day's messages. */
const MONDAY = Date.parse("2026-07-20T12:00:00Z");

/** What came since the last call: the path, and the numbers of the releases in it. */
function takeTold(receiver: Receiver): string[] {
  return receiver.received.splice(0).map(({ path, body }) => {
    const { changes } = JSON.parse(body).data;
    const numbers = changes.map(({ release_item_id }: { release_item_id: string }) =>
      Number(release_item_id.slice(-12))
    );
    return `${path} ${numbers}`;
  }).toSorted();
}

function start(database: Database, settings: Record<string, string> = {}) {
  return startWebhooks(database, { settings, start: MONDAY });
}

testOnDatabases(
  "A daily and a weekly webhook get one message with what has changed since the last",
  async (database) => {
    await using receiver = startReceiver();
    await using webhooks = start(database);
    await webhooks.import([makeItem(1)]);
    for (const cadence of ["immediate", "daily", "weekly"] as const) {
      await webhooks.add(`${receiver.url}/${cadence}`, { cadence, name: cadence });
    }
    await webhooks.import([makeItem(1), makeItem(2)]);
    await webhooks.look();
    await webhooks.import([makeItem(1), makeItem(2), makeItem(3)]);
    await webhooks.look("2026-07-21T06:59:59Z");
    assertEquals(takeTold(receiver), ["/immediate 2", "/immediate 3"]);
    await webhooks.look("2026-07-21T07:00:00Z");
    assertEquals(takeTold(receiver), ["/daily 2,3"]);
    await webhooks.look("2026-07-21T07:00:05Z");
    await webhooks.look("2026-07-22T07:00:00Z");
    assertEquals(takeTold(receiver), [], "nothing happened since");
    await webhooks.import([makeItem(4)], { partial: true });
    await webhooks.look("2026-07-23T07:00:00Z");
    assertEquals(takeTold(receiver), ["/daily 4", "/immediate 4"]);
    await webhooks.look("2026-07-27T07:00:00Z");
    assertEquals(takeTold(receiver), ["/weekly 2,3,4"]);
    await using app = await startApp(database);
    await webhooks.import([makeItem(5)], { partial: true });
    await webhooks.look("2026-08-03T07:00:00Z");
    for (const { path, body } of receiver.received) {
      const { timestamp, data: { changes, changes_url } } = JSON.parse(body);
      assertEquals((await app.json(changes_url)).data, changes);
      const moment = path === "/immediate" ? "2026-07-27" : "2026-08-03";
      assertEquals(timestamp, `${moment}T07:00:00.000Z`);
    }
    assertEquals(receiver.received.length, 3);
  },
);

testOnDatabases("The moments are those of DIGEST_ZONE, whatever DIGESTS is", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = start(database, {
    DIGESTS: "off",
    DIGEST_TIME: "18:30",
    DIGEST_WEEKDAY: "friday",
    DIGEST_ZONE: "America/New_York",
  });
  for (const cadence of ["daily", "weekly"] as const) {
    await webhooks.add(`${receiver.url}/${cadence}`, { cadence });
  }
  await webhooks.import([makeItem(1)]);
  await webhooks.look("2026-07-20T22:29:59Z");
  assertEquals(takeTold(receiver), []);
  await webhooks.look("2026-07-20T22:30:00Z");
  assertEquals(takeTold(receiver), ["/daily 1"]);
  await webhooks.look("2026-07-24T22:29:59Z");
  assertEquals(takeTold(receiver), []);
  await webhooks.look("2026-07-24T22:30:00Z");
  assertEquals(takeTold(receiver), ["/weekly 1"]);
  // The clocks of New York go back on 1 November 2026.
  await webhooks.look("2026-10-31T22:30:00Z");
  await webhooks.import([makeItem(2)], { partial: true });
  await webhooks.look("2026-11-01T23:29:59Z");
  assertEquals(takeTold(receiver), []);
  await webhooks.look("2026-11-01T23:30:00Z");
  assertEquals(takeTold(receiver), ["/daily 2"]);
});

testOnDatabases(
  "After an outage there is one message for all that was missed",
  async (database) => {
    await using receiver = startReceiver();
    await using webhooks = start(database);
    for (const cadence of ["daily", "weekly"] as const) {
      await webhooks.add(`${receiver.url}/${cadence}`, { cadence });
    }
    await webhooks.import([makeItem(1)]);
    await webhooks.import([makeItem(2)], { partial: true });
    await webhooks.look("2026-08-05T15:00:00Z");
    assertEquals(takeTold(receiver), ["/daily 1,2", "/weekly 1,2"]);
    await webhooks.import([makeItem(3)], { partial: true });
    await webhooks.look("2026-08-05T15:00:05Z");
    assertEquals(takeTold(receiver), []);
    await webhooks.look("2026-08-06T07:00:00Z");
    assertEquals(takeTold(receiver), ["/daily 3"]);
    // A process whose clock is years ahead holds nothing back for years.
    await database.query(sql`update slots set slot = '2036-01-01T07:00:00Z'`);
    await webhooks.look("2026-08-07T07:00:00Z");
    assertEquals(takeTold(receiver), []);
    await webhooks.look("2026-08-10T07:00:00Z");
    assertEquals(takeTold(receiver), ["/weekly 3"]);
  },
);

testOnDatabases("Several processes put down one message", async (database) => {
  await using receiver = startReceiver();
  await using first = start(database);
  await using second = start(database);
  for (let number = 0; number < 20; number++) {
    await first.add(`${receiver.url}/${number}`, { cadence: "daily" });
  }
  await first.import([makeItem(1)]);
  const moment = "2026-07-21T07:00:00Z";
  await Promise.all([
    first.look(moment),
    second.look(moment),
    first.import([makeItem(2)], { partial: true }),
    second.look(moment),
  ]);
  assertEquals(
    receiver.received.map(({ path }) => Number(path.slice(1))).toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, number) => number),
  );
  // Whether the import came before or after the moment, each change is told once.
  await second.look("2026-07-22T07:00:00Z");
  const told = new Set(
    takeTold(receiver).flatMap((line) =>
      line.split(" ")[1]!.split(",").map((id) => `${line.split(" ")[0]} ${id}`)
    ),
  );
  assertEquals(told.size, 40);
});

testOnDatabases("A new cadence loses nothing that waits, and repeats nothing", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = start(database);
  await webhooks.add(`${receiver.url}/hook`, { name: "hook", cadence: "weekly" });
  await webhooks.import([makeItem(1)]);
  await webhooks.look("2026-07-22T12:00:00Z");
  await webhooks.change("hook", { cadence: "daily" });
  await webhooks.look();
  assertEquals(takeTold(receiver), [], "the moment of the new cadence has not come");
  await webhooks.look("2026-07-23T07:00:00Z");
  assertEquals(takeTold(receiver), ["/hook 1"]);
  await webhooks.import([makeItem(2)], { partial: true });
  await webhooks.change("hook", { cadence: "daily", filter: { release_type: ["Nothing"] } });
  await webhooks.change("hook", { cadence: "daily" });
  await webhooks.change("hook", { cadence: "immediate" });
  await webhooks.look();
  assertEquals(takeTold(receiver), ["/hook 2"], "at once");
  await webhooks.import([makeItem(3)], { partial: true });
  await webhooks.change("hook", { cadence: "daily" });
  await webhooks.look();
  assertEquals(takeTold(receiver), ["/hook 3"], "its import had put it down");
  await webhooks.import([makeItem(4)], { partial: true });
  await webhooks.look("2026-07-24T07:00:00Z");
  assertEquals(takeTold(receiver), ["/hook 4"]);
  await webhooks.change("hook", { cadence: "immediate" });
  await webhooks.look("2026-07-25T07:00:00Z");
  assertEquals(takeTold(receiver), []);
});

testOnDatabases("A disabled webhook with a cadence gets what comes later", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = start(database);
  await webhooks.add(`${receiver.url}/hook`, { name: "hook", cadence: "daily" });
  const { webhook_id } = (await findTarget(database, "hook"))!;
  const now = new Date("2026-07-20T13:00:00Z");
  await disableWebhook(database, webhook_id, { reason: "a test", now });
  await webhooks.import([makeItem(1)]);
  await webhooks.look("2026-07-22T07:00:00Z");
  await enableWebhook(database, "hook", new Date("2026-07-22T12:00:00Z"));
  await webhooks.import([makeItem(2)], { partial: true });
  await webhooks.look("2026-07-22T12:00:05Z");
  assertEquals(takeTold(receiver), []);
  await enableWebhook(database, "hook", new Date("2026-07-22T13:00:00Z"));
  await webhooks.look("2026-07-23T07:00:00Z");
  assertEquals(takeTold(receiver), ["/hook 2"]);
});

testOnDatabases(
  "A receiver that is away gets the messages of its days later, in their order",
  async (database) => {
    let isUp = false;
    await using receiver = startReceiver(() => new Response(null, { status: isUp ? 200 : 503 }));
    await using webhooks = start(database);
    await webhooks.add(`${receiver.url}/hook`, { cadence: "daily" });
    await webhooks.import([makeItem(1)]);
    await webhooks.look("2026-07-21T07:00:00Z");
    await webhooks.import([makeItem(2)], { partial: true });
    await webhooks.look("2026-07-22T07:00:00Z");
    receiver.received.splice(0);
    isUp = true;
    webhooks.advance(5 * 60);
    await webhooks.look();
    assertEquals(
      receiver.received.map(({ body }) => JSON.parse(body).data.changes[0].release.feature_name),
      ["Feature 1", "Feature 2"],
    );
    assertEquals((await webhooks.deliveries()).map(({ status }) => status), ["sent", "sent"]);
  },
);

testOnDatabases("Filters and strict searches hold for a cadence too", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = start(database);
  const filters = {
    shipped: { release_status: ["Shipped"] },
    kinds: { kind: ["slipped" as const] },
    words: { q: ["cloud storage"] },
    none: { q: ["cloud unicorn"] },
  };
  for (const [name, filter] of Object.entries(filters)) {
    await webhooks.add(`${receiver.url}/${name}`, { filter, cadence: "daily" });
  }
  await webhooks.import([
    makeItem(1, { feature_description: "Storage in the cloud" }),
    makeItem(2, { feature_description: "Cloud" }),
  ]);
  await webhooks.import([
    makeItem(1, { feature_description: "Storage in the cloud", release_status: "Shipped" }),
    makeItem(2, { feature_description: "Cloud", release_date: "Q4 2026" }),
  ]);
  await webhooks.look("2026-07-21T07:00:00Z");
  assertEquals(takeTold(receiver), ["/kinds 2", "/shipped 1,1", "/words 1,1"]);
});

/** A block of rich text for Slack. */
interface Block {
  elements: [{ elements: { text: string }[] }];
}

testOnDatabases("A chat reads what became of each release, not each step", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = start(database);
  const first = [1, 2, 3, 4, 5].map((number) => makeItem(number));
  await webhooks.import(first);
  await webhooks.add(`${receiver.url}/chat`, { kind: "slack", cadence: "weekly" });
  const steps = [{
    1: { release_date: "Q4 2026" },
    2: { release_date: "Q4 2026" },
    3: { release_status: "Shipped" },
  }, { 1: { release_date: "Q1 2027" }, 2: {}, 3: { release_status: "In development" } }];
  for (const step of steps) {
    const items = Object.entries(step).map(([number, fields]) => makeItem(Number(number), fields));
    const now = [
      ...items,
      ...first.filter(({ release_item_id }) =>
        !items.some((item) => item.release_item_id === release_item_id)
      ),
    ];
    await webhooks.import([...now, makeItem(6, { feature_name: `Name ${steps.indexOf(step)}` })]);
  }
  await webhooks.import([makeItem(5)], { partial: true });
  await webhooks.look("2026-07-27T07:00:00Z");
  const { text, blocks } = JSON.parse(receiver.received[0]!.body);
  const said = blocks.map(({ elements: [{ elements }] }: Block) =>
    elements.map(({ text }) => text).join("")
  ).join("\n");
  assertEquals(text, "Roadcast: 1 slipped, 1 started, 1 new");
  match(said, /Slipped: Feature 1.*Product · Q3 2026 → Q1 2027\n/s);
  match(said, /Started: Feature 3.*Status changed from “Planned” to “In development”/s);
  match(said, /New: Name 1/);
  doesNotMatch(said, /Feature 2/);
});

testOnDatabases("More releases than fit are counted and linked", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = start(database);
  await webhooks.add(`${receiver.url}/chat`, { kind: "slack", cadence: "daily" });
  await webhooks.add(`${receiver.url}/hook`, { cadence: "daily" });
  for (const place of [0, 1, 2]) {
    const items = Array.from(
      { length: 50 },
      (_, number) => makeItem(place * 50 + number + 1, { product_name: `Product ${number}` }),
    );
    await webhooks.import(items, { partial: true });
  }
  await webhooks.look("2026-07-21T07:00:00Z");
  const bodies = Object.fromEntries(receiver.received.map(({ path, body }) => [path, body]));
  match(bodies["/chat"]!, /150 new.*and \d+ more/s);
  const { changes, more } = JSON.parse(bodies["/hook"]!).data;
  assertEquals([changes.length, more], [100, 50]);
});

testOnDatabases("A server puts down what is due before it sends", async (database) => {
  await using receiver = startReceiver();
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    WEBHOOK_ALLOW_PRIVATE: "true",
    DIGESTS: "off",
    DIGEST_ZONE: "Asia/Kathmandu",
  });
  const operator = await startOperator(app);
  const wanted = { url: `${receiver.url}/hook`, kind: "standard", cadence: "daily" };
  assertEquals((await operator.post("/admin/webhooks#add", wanted)).status, 200);
  await importItems(database, [makeItem(1)]);
  const workAt = async (moment: string) => {
    app.setClock(moment);
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const response = await app.fetch("/api/work", { method: "POST", headers });
    return (await response.json()).webhooks;
  };
  assertEquals(await workAt("2026-07-21T01:14:59Z"), { sent: 0, failed: 0 });
  assertEquals(await workAt("2026-07-21T01:15:00Z"), { sent: 1, failed: 0 });
  assertEquals(takeTold(receiver), ["/hook 1"]);
});

testOnDatabases(
  "An import that ends while messages are put together is in the next",
  async (database) => {
    if (database.kind === "embedded") return; // it has one session: an import waits
    await using receiver = startReceiver();
    await using webhooks = start(database);
    await webhooks.add(`${receiver.url}/hook`, { cadence: "daily" });
    await webhooks.import([makeItem(1)]);
    let isMeanwhile = false;
    const overtaken: Database = {
      ...database,
      query: (statement) => database.query(statement),
      transaction: (work) =>
        database.transaction((connection) =>
          work({
            ...connection,
            async query(statement) {
              if (!isMeanwhile && statement.compile().text.includes("from change_entries")) {
                isMeanwhile = true;
                await webhooks.import([makeItem(2)], { partial: true });
              }
              return await connection.query(statement);
            },
          })
        ),
    };
    await using late = start(overtaken);
    await late.look("2026-07-21T07:00:00Z");
    assertEquals([isMeanwhile, takeTold(receiver)], [true, ["/hook 1"]]);
    await late.look("2026-07-22T07:00:00Z");
    assertEquals(takeTold(receiver), ["/hook 2"]);
  },
);
