import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { subscribe } from "../support/subjects/subscribing.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";

/** Of these, only the second is due in the next 7 days. */
const ITEMS = [
  makeItem(1, { feature_name: "Late thing", release_date: "2026-07-18" }),
  makeItem(2, { feature_name: "Soon thing", release_date: "2026-07-25" }),
  makeItem(3, { feature_name: "Next thing", release_date: "2026-08-10" }),
  makeItem(4, {
    feature_name: "Done thing",
    release_date: "2026-07-25",
    release_status: "Shipped",
  }),
];
const NAMES = ITEMS.map(({ feature_name }) => feature_name as string);

testOnDatabases("Changes can be of several periods, which move with the day", async (database) => {
  await using app = await serve(database, ITEMS);
  const several = await app.json("/api/changes?due=overdue&due=next7");
  const told = several.data.map((entry: { release: { feature_name: string } }) =>
    entry.release.feature_name
  );
  assertEquals(told.sort(), ["Late thing", "Soon thing"]);
  app.setClock("2026-08-05T12:00:00Z"); // no import, but another day
  const later = await app.fetch("/api/changes?due=next7");
  assertEquals((await later.text()).match(/\w+ thing/g), ["Next thing"]);
});

testOnDatabases("An unknown period is refused with the list of periods", async (database) => {
  await using app = await serve(database, ITEMS);
  for (const path of ["/", "/api/changes", "/changes.csv", "/rss.xml", "/calendar.ics"]) {
    const response = await app.fetch(`${path}?due=tomorrow`, {
      headers: { Accept: "application/json" },
    });
    const text = await response.text();
    assertEquals([path, response.status], [path, 400], text);
    const periods = path === "/"
      ? ["This filter doesn’t exist any more"]
      : ["overdue", "next7", "next30", "next90"];
    const named = periods.filter((period) => text.includes(period));
    assertEquals([path, named.length], [path, path === "/" ? 1 : 4], text);
  }
  const refused = await subscribe(app, { email: "a@example.com", due: "tomorrow" });
  assertEquals(refused.status, 400);
  assertEquals((await refused.json()).errors[0].name, "due");
});

testOnDatabases("A webhook gets the changes of releases due at that time", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  const filters = {
    soon: { due: ["next7" as const] },
    both: { due: ["next7" as const, "overdue" as const] },
    words: { due: ["next7" as const], q: ["next"] },
  };
  for (const [name, filter] of Object.entries(filters)) {
    await webhooks.add(`${receiver.url}/${name}`, { name, filter });
  }
  await webhooks.add(`${receiver.url}/chat`, { name: "chat", kind: "slack", filter: filters.soon });
  await webhooks.import(ITEMS);
  await webhooks.send();
  const bodies = new Map(receiver.received.map(({ path, body }) => [path, body]));
  const namesIn = (path: string) => NAMES.filter((name) => bodies.get(path)!.includes(name));
  assertEquals([...bodies.keys()].sort(), ["/both", "/chat", "/soon"]);
  assertEquals(namesIn("/soon"), ["Soon thing"]);
  assertEquals(namesIn("/chat"), ["Soon thing"]);
  assertEquals(namesIn("/both"), ["Late thing", "Soon thing"]);
  const { changes_url } = JSON.parse(bodies.get("/both")!).data;
  match(changes_url, /&due=next7&due=overdue$/);
  await using app = await startApp(database);
  assertEquals((await app.json(changes_url)).data.length, 2);

  receiver.received.length = 0; // once it has shipped, it is due no more
  await webhooks.import(ITEMS.map((item) => ({ ...item, release_status: "Shipped" })));
  await webhooks.send();
  assertEquals(receiver.received, []);
});

testOnDatabases("A subscription covers the releases due at that time", async (database) => {
  await using services = await startDigests(database);
  await services.verify("soon@example.com", { due: "next7" });
  await services.verify("both@example.com", { due: ["overdue", "next7"], searches: ["late"] });
  await services.verify("none@example.com", { due: ["next90"], products: ["Else"] });
  const link = linkOf(services.newestTo("both@example.com"), "/preferences");
  const page = await (await services.app.fetch(link)).text();
  match(page, /changes to releases that match “late” and are overdue or due in the next 7 days\./);
  match(page, /<input type="checkbox" name="due" value="next7" checked/);
  await importItems(database, ITEMS);
  const told = (await services.digest()).map((mail) => [mail.envelopeTo[0], listedIn(mail)]);
  assertEquals(told, [["both@example.com", ["Late thing"]], ["soon@example.com", ["Soon thing"]]]);
});

testOnDatabases("Follow pages of a due filter subscribe to it", async (database) => {
  await using app = await serve(database, ITEMS);
  const read = async (path: string) => await (await app.fetch(path)).text();
  match(
    await read("/subscribe?due=next30"),
    /<input type="checkbox" name="due" value="next30" checked/,
  );
  match(await read("/changelog?due=next30"), /<input type="hidden" name="due" value="next30"/);
  const preview = await read("/subscribe/preview?due=next7&cadence=daily");
  assertEquals(NAMES.filter((name) => preview.includes(name)), ["Soon thing"]);
});
