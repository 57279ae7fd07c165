import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { recordLog } from "../support/log.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { stateOf, STORED_LISTS, subscribe } from "../support/subjects/subscribing.ts";

const ANN = "ann@example.com";
const ID = "00000000-0000-4000-8000-00000000000";

type Services = Awaited<ReturnType<typeof startDigests>>;

function tokenOf(services: Services, path = "/preferences"): string {
  return new URL(linkOf(services.newestTo(ANN), path)).searchParams.get("token")!;
}

/** Submits the preferences form. */
function post(
  { app }: Services,
  fields: Record<string, string | string[]>,
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams(
    Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value])
    ),
  );
  return app.fetch("/roadmap/preferences", { method: "POST", body, headers });
}

async function readStored(database: Database) {
  const [row] = await database.query<Record<string, unknown>>(sql`
    select ${STORED_LISTS}, releases::text[] as releases, cadence,
      paused_until::text as paused_until
    from subscriptions where email = ${ANN}
  `);
  return { ...row! };
}

/** The values of a page's checked inputs. */
function tickedOn(page: string): string[] {
  return [...page.matchAll(/<input[^>]*\bchecked\b[^>]*>/g)].map(([input]) =>
    /value="([^"]*)"/.exec(input)![1]!
  ).filter((value) => value !== "yes"); // tests/api/upcoming_test.ts has these
}

testOnDatabases("The preferences page sets which changes are sent, and when", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, [
    makeItem(1, { product_name: "Maps" }),
    makeItem(2, { product_name: "Mail" }),
  ]);
  await services.verify(ANN, { products: ["Maps"], cadence: "daily" });
  const link = linkOf(services.newestTo(ANN), "/preferences");
  const shown = await services.app.fetch(link);
  assertEquals(shown.status, 200);
  assertEquals(shown.headers.get("cache-control"), "no-store");
  assertEquals(shown.headers.get("referrer-policy"), "no-referrer");
  const page = await shown.text();
  match(page, /Every day at 07:00 UTC: changes to Maps releases\./);
  assertEquals(tickedOn(page), ["Maps", "daily"]);

  const token = tokenOf(services);
  const wanted = { token, products: "Mail", cadence: "immediate", releases: `${ID}1` };
  const saved = await post(services, wanted);
  assertEquals([saved.status, saved.headers.get("cache-control")], [200, "no-store"]);
  match(await saved.text(), /<strong>Saved\.<\/strong>/);
  const stored = {
    products: ["Mail"],
    types: [],
    statuses: [],
    releases: [`${ID}1`],
    cadence: "immediate",
    paused_until: null,
  };
  assertEquals(await readStored(database), stored);
  await post(services, wanted); // a double click
  assertEquals(await readStored(database), stored);

  await importItems(database, [
    makeItem(1, { product_name: "Maps", feature_name: "Watched" }),
    makeItem(2, { product_name: "Mail", feature_name: "Of Mail" }),
    makeItem(3, { product_name: "Else" }),
  ]);
  const [mail] = await services.digest();
  assertEquals(listedIn(mail!), ["Of Mail", "Watched"]);
});

testOnDatabases(
  "With two windows the last save counts, including values that no longer exist",
  async (database) => {
    await using services = await startDigests(database);
    await importItems(database, [makeItem(1, { product_name: "Maps" })]);
    await services.verify(ANN, { products: ["Maps"] });
    const token = tokenOf(services);
    await importItems(database, [makeItem(1, { product_name: "Mail" })]);
    await post(services, { token, products: "Mail", cadence: "daily" });
    const unknown = "99999999-9999-4999-8999-999999999999";
    const late = await post(services, {
      token,
      products: ["Maps", "Maps"],
      releases: [unknown, `${ID}1`],
      cadence: "weekly",
    });
    assertEquals(late.status, 200);
    const page = await late.text();
    assertEquals(tickedOn(page), ["chosen", "Maps", "weekly", `${ID}1`]);
    assertEquals(await readStored(database), {
      products: ["Maps"],
      types: [],
      statuses: [],
      releases: [`${ID}1`],
      cadence: "weekly",
      paused_until: null,
    });
  },
);

testOnDatabases("Invalid forms are refused and change nothing", async (database) => {
  await using services = await startDigests(database);
  await services.verify(ANN);
  const token = tokenOf(services);
  const before = await readStored(database);
  for (
    const [fields, reason] of [
      [{ cadence: "hourly" }, /“How often\?” must be one of the options shown\./],
      [{ releases: "1" }, /must be a UUID/],
      [{ paused_until: "2026-02-30" }, /must be a date such as 2026-01-31/],
      [{ action: "explode" }, /This button doesn’t exist any more\./],
      [{ action: "delete" }, /Check this box to confirm/],
    ] as const
  ) {
    const refused = await post(services, { token, ...fields });
    assertEquals(refused.status, 400);
    match(await refused.text(), reason);
  }
  const crossSite = await post(services, { token, cadence: "daily" }, {
    "Sec-Fetch-Site": "cross-site",
  });
  assertEquals(crossSite.status, 403);
  assertEquals(await readStored(database), before);
  assertEquals(await stateOf(database, ANN), "verified");
});

testOnDatabases("A token opens only its own page, and is never logged", async (database) => {
  await using services = await startDigests(database);
  await using recorded = await recordLog();
  await services.verify(ANN);
  const [preferences, leave] = [tokenOf(services), tokenOf(services, "/unsubscribe")];
  for (
    const token of [
      leave,
      preferences.replace(/^./, (first) => first === "A" ? "B" : "A"),
      "x",
    ]
  ) {
    const wrong = await services.app.fetch(`/roadmap/preferences?token=${token}`);
    assertEquals(wrong.status, 404);
    assertEquals((await post(services, { token, cadence: "daily" })).status, 404);
  }
  assertEquals((await services.app.fetch("/roadmap/preferences")).status, 400);
  assertEquals((await services.app.fetch(`/roadmap/unsubscribe?token=${preferences}`)).status, 404);
  assertEquals(await stateOf(database, ANN), "verified");
  const head = await services.app.fetch(`/roadmap/preferences?token=${preferences}`, {
    method: "HEAD",
  });
  assertEquals([head.status, await head.text()], [200, ""]);
  assert(recorded.lines.some((line) => line.includes("/roadmap/preferences")));
  assert(!recorded.lines.join("\n").includes(preferences));
});

testOnDatabases(
  "A pause withdraws waiting digests, and their changes are sent later",
  async (database) => {
    await using services = await startDigests(database);
    await services.verify(ANN, { cadence: "immediate" });
    const token = tokenOf(services);
    await services.import([makeItem(1)]);
    await services.import([makeItem(1), makeItem(2)]);
    const paused = await post(services, { token, cadence: "weekly", paused_until: "2026-08-01" });
    match(await paused.text(), /We’ll hold your emails until the pause ends/);
    services.mail.received.length = 0;
    await services.app.sendMails();
    assertEquals([services.mail.received.length, (await services.queue()).queued], [0, 0]);
    // A pause until today is already over.
    const over = await post(services, { token, cadence: "weekly", paused_until: "2026-07-20" });
    match(await over.text(), /Your next email uses these preferences/);
    assertEquals((await services.digest()).map(listedIn), [["Feature 1", "Feature 2"]]);
    assertEquals(await services.digest(), []);
  },
);

testOnDatabases("Stored data can be exported and deleted", async (database) => {
  await using services = await startDigests(database);
  await services.verify(ANN, { products: ["Product"] });
  await importItems(database, [makeItem(1)]);
  await services.digest();
  const token = tokenOf(services);
  const download = await post(services, { token, action: "export" });
  match(download.headers.get("content-disposition")!, /attachment/);
  assertEquals(download.headers.get("cache-control"), "no-store");
  const kept = await download.json();
  assertEquals([kept.email, kept.state, kept.products], [ANN, "verified", ["Product"]]);
  assertEquals(
    kept.mails.map(({ kind, status }: Record<string, string>) => `${kind} ${status}`).sort(),
    ["digest sent", "verification sent"],
  );
  assertEquals((await post(services, { token, action: "delete", sure: "yes" })).status, 200);
  assertEquals(await stateOf(database, ANN), undefined);
  assertEquals((await post(services, { token, action: "export" })).status, 404);
});

testOnDatabases(
  "Verified subscribers save new requests on the preferences page",
  async (database) => {
    await using services = await startDigests(database);
    await importItems(database, [makeItem(1, { product_name: "Maps" }), makeItem(2)]);
    await services.verify(ANN, { products: ["Maps"] });
    const { app, mail } = services;
    const ask = async (asked: Record<string, unknown>) => {
      mail.received.length = 0;
      const response = await subscribe(app, { email: ANN, ...asked }, {}, "/roadmap");
      await app.sendMails();
      return await response.json();
    };
    await ask({ products: ["Maps"] });
    assertEquals(mail.received.length, 0, "it has that already");
    const answer = await ask({ products: ["Nothing", "Product"], cadence: "daily" });
    assertEquals(answer.unknown, { products: ["Nothing"] });
    const [led] = mail.received;
    assert(!led!.raw.includes("Nothing"), "nobody writes to strangers through it");
    assertEquals((await readStored(database)).products, ["Maps"]);
    const page = await (await app.fetch(linkOf(led!, "/preferences"))).text();
    match(page, /These are the requested changes/);
    assertEquals(tickedOn(page), ["Product", "Nothing", "daily"]);

    // A watched release is added to the current preferences.
    await ask({ releases: [`${ID}2`] });
    const watching = await (await app.fetch(linkOf(mail.received[0]!, "/preferences"))).text();
    assertEquals(tickedOn(watching), ["chosen", "Maps", "weekly", `${ID}2`]);
    await post(services, { token: tokenOf(services), products: "Maps", releases: `${ID}2` });
    const after = await (await app.fetch(linkOf(services.newestTo(ANN), "/preferences"))).text();
    assert(!after.includes("These are the requested"), "what was saved is asked no more");

    // Who left and comes back has only what was asked for then.
    services.advance(2 * 86_400);
    await ask({ products: ["Product"] });
    const link = linkOf(mail.received[0]!, "/preferences");
    match(await (await app.fetch(link)).text(), /These are the requested changes/);
    await app.fetch(linkOf(mail.received[0]!, "/unsubscribe"));
    services.advance(2 * 86_400);
    await services.verify(ANN, { products: ["Maps"] });
    const back = await (await app.fetch(link)).text();
    assert(!back.includes("These are the requested"), "what was asked before is forgotten");
  },
);

testOnDatabases("Watching a release sends no other changes", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, [makeItem(1), makeItem(2)]);
  const { app } = services;
  const page = await (await app.fetch(`/roadmap/release/${ID}1`)).text();
  match(page, /<h2[^>]*>Email me when this moves or ships<\/h2>/);
  const body = new URLSearchParams({ email: ANN, releases: `${ID}1`, cadence: "immediate" });
  const asked = await app.fetch("/roadmap/subscribe", { method: "POST", body });
  assertEquals(asked.status, 202);
  match(
    await asked.text(),
    new RegExp(`Back to <a href="/roadmap/release/${ID}1"><bdi>Feature 1</bdi></a>`),
  );
  await app.sendMails();
  const confirm = services.newestTo(ANN);
  assertEquals(confirm.subject, "Confirm email updates about Feature 1");
  match(confirm.text!, /Please confirm that you’d like an email when “Feature 1” changes\./);
  const verified = await (await app.fetch(linkOf(confirm, "/verify-email"))).text();
  match(verified, new RegExp(`<a href="/roadmap/release/${ID}1"><bdi>Feature 1</bdi></a>`));
  match(verified, /Right away, when the release you watch changes\./);
  await importItems(database, [
    makeItem(1, { feature_name: "Watched" }),
    makeItem(2, { feature_name: "Other" }),
  ]);
  const [digest, ...others] = await services.digest();
  assertEquals([listedIn(digest!), others], [["Watched"], []]);
  match(digest!.text!, /you subscribed to Roadcast: changes to the release you watch\./);
  const two = await services.subscribe("bob@example.com", { releases: [`${ID}1`, `${ID}2`] });
  match(two.text!, /an email when “Watched” or 1 other release changes\./);
  for (
    const [releases, reason] of [
      [["99999999-9999-4999-8999-999999999999"], /names an unknown release: 9{8}/],
      [["x"], /must be a UUID/],
      [Array.from({ length: 101 }, () => `${ID}1`), /at most 100/],
      ["x", /must be a list of UUIDs/],
    ] as const
  ) {
    const refused = await subscribe(app, { email: ANN, releases }, {}, "/roadmap");
    assertEquals(refused.status, 400);
    match((await refused.json()).detail, reason);
  }
});

testOnDatabases("Preferences of who has left offer to subscribe again", async (database) => {
  await using services = await startDigests(database);
  await services.verify(ANN, { products: ["Product"] });
  const token = tokenOf(services);
  await services.app.fetch(linkOf(services.newestTo(ANN), "/unsubscribe"));
  const shown = await services.app.fetch(`/roadmap/preferences?token=${token}`);
  match(await shown.text(), /is unsubscribed\..*Subscribe again/s);
  await post(services, { token, cadence: "daily" });
  assertEquals((await readStored(database)).cadence, "weekly", "nothing is saved for who has left");
  assertEquals((await post(services, { token, action: "subscribe-again" })).status, 202);
  await services.app.sendMails();
  await services.app.fetch(linkOf(services.newestTo(ANN), "/verify-email"));
  assertEquals(await stateOf(database, ANN), "verified");
  assertEquals((await readStored(database)).products, ["Product"]);
});

testOnDatabases(
  "A link of a digest fills in the other cadence, and saves nothing",
  async (database) => {
    await using services = await startDigests(database);
    await importItems(database, [makeItem(1)]);
    for (const [cadence, other] of [["weekly", "daily"], ["daily", "weekly"]] as const) {
      const email = `${cadence}@example.com`;
      await services.verify(email, { cadence });
      await importItems(database, [makeItem(1, { feature_name: `New to ${cadence}` })]);
      await services.digest();
      const [link] = services.newestTo(email).text!.match(/(?<=Get it \w+: )\S+&cadence=\w+/)!;
      match(link, new RegExp(`&cadence=${other}$`));
      const page = await (await services.app.fetch(link)).text();
      match(page, new RegExp(`value="${other}" checked`));
      match(page, /Nothing changes until you save\./);
      const same = await (await services.app.fetch(link.replace(/\w+$/, cadence))).text();
      assert(!same.includes("Nothing changes until you save."));
      const odd = await services.app.fetch(link.replace(/\w+$/, "hourly"));
      assertEquals(odd.status, 200);
      assert(!(await odd.text()).includes("Nothing changes until you save."));
      const stored: { cadence: string }[] = await database.query(
        sql`select cadence from subscriptions where email = ${email}`,
      );
      assertEquals(stored, [{ cadence }]);
    }
  },
);

testOnDatabases("Saved preferences can be undone", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, [makeItem(1, { product_name: "Maps" })]);
  await services.verify(ANN, { products: ["Maps"], releases: [`${ID}1`], cadence: "daily" });
  const before = await readStored(database);
  const wanted = { token: tokenOf(services), scope: "watched", cadence: "weekly" };
  const saved = await post(services, { ...wanted, every: "kinds", paused_until: "2099-01-01" });
  assert(JSON.stringify(await readStored(database)) !== JSON.stringify(before));
  const [, undo] = (await saved.text()).match(
    /<form method="post" action="[^"]*">((?:(?!<\/form>).)*Undo)/s,
  )!;
  const hidden = undo!.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const body = new URLSearchParams([...hidden].map(([, name, value]) => [name!, value!]));
  const undone = await services.app.fetch("/roadmap/preferences", { method: "POST", body });
  match(await undone.text(), /<strong>Saved\.<\/strong>/);
  assertEquals(await readStored(database), before);
});
