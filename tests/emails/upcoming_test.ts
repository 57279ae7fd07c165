import {
  deepStrictEqual as assertEquals,
  doesNotMatch,
  match,
  ok as assert,
} from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { linkOf, type ReceivedMail } from "../support/servers/mail_server.ts";
import { subscribe } from "../support/subjects/subscribing.ts";

const id = (number: number) => makeItem(number).release_item_id as string;

/** The sections of a mail, by their titles: the names in them, and what follows. */
function sectionOf({ text = "" }: ReceivedMail, title: string): string[] | null {
  const [, rest] = new RegExp(`\n${title}\n-+\n\n(.*)`, "s").exec(text) ?? [];
  if (rest === undefined) return null;
  const section = rest.split(/\n\S+( \S+)*\n-+\n|\n\nOpen the roadmap|\n\nSee all changes/)[0]!;
  return [...section.matchAll(/^- (.*)$|^(and .* more):\n(\S+)$/gm)].map(([, name, more, url]) =>
    name ?? `${more} ${url}`
  );
}

/** Seven that come up in two products, one that is overdue, and others. */
const ITEMS = [
  ...[1, 2, 3, 4, 5, 6, 7].map((number) =>
    makeItem(number, {
      feature_name: `Soon ${number}`,
      release_date: `2026-07-${20 + number}`,
      product_name: number % 2 ? "Maps" : "Mail",
    })
  ),
  makeItem(8, { feature_name: "Late", release_date: "2026-07-01", product_name: "Maps" }),
  makeItem(9, { feature_name: "Later", release_date: "2026-12-31", product_name: "Maps" }),
  makeItem(10, {
    feature_name: "Done",
    release_date: "2026-07-22",
    product_name: "Maps",
    release_status: "Shipped",
  }),
];

testOnDatabases("A weekly digest lists upcoming and overdue releases", async (database) => {
  await using services = await startDigests(database);
  await services.verify("all@example.com");
  await services.verify("maps@example.com", { products: ["Maps"] });
  await services.verify("daily@example.com", { cadence: "daily" });
  await services.verify("wants@example.com", { cadence: "daily", upcoming: true });
  await services.verify("not@example.com", { upcoming: false });
  await services.import(ITEMS);
  const mails = new Map((await services.digest()).map((mail) => [mail.envelopeTo[0], mail]));
  const read = (name: string) => {
    const mail = mails.get(`${name}@example.com`)!;
    return [sectionOf(mail, "Next 30 days"), sectionOf(mail, "Overdue")];
  };
  const soon = ["Soon 1", "Soon 2", "Soon 3", "Soon 4", "Soon 5"];
  const site = "https://example.com/roadmap";
  assertEquals(read("all"), [[...soon, `and 2 more ${site}/?due=next30`], ["Late"]]);
  assertEquals(read("wants"), read("all"));
  assertEquals(read("maps"), [["Soon 1", "Soon 3", "Soon 5", "Soon 7"], ["Late"]]);
  assertEquals([read("daily"), read("not")], [[null, null], [null, null]]);
  const html = mails.get("all@example.com")!.html as string;
  match(html, /Next 30 days<.*Soon 5<.*href="https:\/\/example\.com\/roadmap\/\?due=next30"/s);
  match(html, /Overdue<.*Late</s);

  const page = await services.app.fetch(linkOf(mails.get("all@example.com")!, "/digest"));
  const shown = await page.text();
  match(
    shown,
    />Next 30 days<.*Soon 1.*<a href="https:\/\/example\.com\/roadmap\/\?due=next30" [^>]*>and 2 more</s,
  );
  match(shown, />Overdue<.*Late/s);
});

testOnDatabases(
  "Upcoming releases are limited to the scope of the subscription",
  async (database) => {
    await using services = await startDigests(database);
    await services.import(ITEMS);
    const releases = [1, 2, 3, 4, 5, 6, 9].map(id);
    await services.verify("watched@example.com", { releases });
    await services.verify("both@example.com", { types: ["Else"], releases: [id(8), id(9)] });
    await services.verify("words@example.com", { q: "late", products: ["Maps", "Mail"] });
    await services.import(ITEMS.map((item) => ({ ...item, release_type: "Preview" })));
    const mails = new Map((await services.digest()).map((mail) => [mail.envelopeTo[0], mail]));
    const watched = mails.get("watched@example.com")!;
    const pageUrl = linkOf(watched, "/digest");
    assertEquals(
      sectionOf(watched, "Next 30 days")!.slice(0, 5),
      [1, 2, 3, 4, 5].map((n) => `Soon ${n}`),
    );
    match(sectionOf(watched, "Next 30 days")![5]!, /^and 1 more https:.*\/digest\?token=/);
    assertEquals(sectionOf(watched, "Overdue"), null);
    const page = await (await services.app.fetch(pageUrl)).text();
    assert(page.includes("Soon 6") && !page.includes("Soon 7"), page); // no address shows just these
    const both = mails.get("both@example.com")!;
    assertEquals([sectionOf(both, "Next 30 days"), sectionOf(both, "Overdue")], [null, ["Late"]]);
    const words = mails.get("words@example.com")!;
    assertEquals([sectionOf(words, "Next 30 days"), sectionOf(words, "Overdue")], [null, ["Late"]]);
  },
);

testOnDatabases("The link to the rest shows the scope of the subscription", async (database) => {
  await using services = await startDigests(database);
  await services.verify("a@example.com", { products: ["R&D"], statuses: ["Planned"], q: "soon" });
  const items = ITEMS.map((item) => ({ ...item, product_name: "R&D" }));
  await services.import([...items, makeItem(11, { release_date: "2026-07-22" })]);
  const [mail] = await services.digest();
  const [more] = sectionOf(mail!, "Next 30 days")!.slice(-1);
  const url = "https://example.com/roadmap/" +
    "?product_name=R%26D&release_status=Planned&due=next30&q=soon&match=words";
  assertEquals(more, `and 2 more ${url}`);
  const shown = await (await services.app.fetch(url)).text();
  match(shown, /7 (?:releases|results)/);
});

testOnDatabases("Upcoming releases alone send no digest", async (database) => {
  await using services = await startDigests(database);
  await services.import(ITEMS);
  await services.verify("all@example.com");
  assertEquals((await services.digest()).length, 0);
});

testOnDatabases("Upcoming releases can be switched on the preferences page", async (database) => {
  await using services = await startDigests(database);
  const mail = await services.subscribe("ann@example.com");
  await services.app.fetch(linkOf(mail, "/verify-email"));
  const link = linkOf(mail, "/preferences");
  const token = new URL(link).searchParams.get("token")!;
  const read = async () => await (await services.app.fetch(link)).text();
  const box = (name: string) =>
    new RegExp(`<input type="checkbox" name="${name}" value="yes" checked`);
  for (const name of ["upcoming", "reminders"]) match(await read(), box(name));
  const post = (fields: [string, string][]) =>
    services.app.fetch("/roadmap/preferences", {
      method: "POST",
      body: new URLSearchParams([
        ["token", token],
        ["scope", "all"],
        ["every", "kinds"],
        ...fields,
      ]),
    });
  // What a browser sends of two boxes of which one is ticked.
  const saved = await post([["upcoming", "no"], ["reminders", "no"], ["reminders", "yes"]]);
  const page = await saved.text();
  match(page, /Saved\./);
  doesNotMatch(page, box("upcoming"));
  match(page, box("reminders"));
  match(page, /<input type="hidden" name="upcoming" value="yes"\/?>/); // Undo
  await post([]); // a form without the boxes says nothing of them
  doesNotMatch(await read(), box("upcoming"));
  const refused = await post([["upcoming", "maybe"]]);
  assertEquals(refused.status, 400);
  match(await refused.text(), /This choice must be yes or no\./);
  const api = await subscribe(
    services.app,
    { email: "a@example.com", upcoming: "x" },
    {},
    "/roadmap",
  );
  assertEquals([api.status, (await api.json()).errors[0].name], [400, "upcoming"]);
});

testOnDatabases(
  "A request for other preferences leads to the preferences page",
  async (database) => {
    await using services = await startDigests(database);
    await services.verify("ann@example.com");
    const unchanged = { upcoming: true, reminders: true };
    const before = services.newestTo("ann@example.com");
    assertEquals(await services.subscribe("ann@example.com", unchanged), before);
    const mail = await services.subscribe("ann@example.com", { reminders: false });
    match(mail.subject!, /^Change your subscription/);
    const [, link] = /(\S+\/preferences\?\S+&asked=1)/.exec(mail.text!)!;
    const page = await (await services.app.fetch(link!)).text();
    match(page, /name="upcoming" value="yes" checked/);
    doesNotMatch(page, /name="reminders" value="yes" checked/);
  },
);
