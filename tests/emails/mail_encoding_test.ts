import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { linkOf, type ReceivedMail } from "../support/servers/mail_server.ts";
import { stateOf } from "../support/subjects/subscribing.ts";

const RECEIVERS = ["ann@example.com", "bob@example.com"];

/** The text without the recipient's personal links. */
function sharedText({ text = "" }: ReceivedMail): string {
  return text.replace(/\/(preferences|unsubscribe)\?token=\S+/g, "/$1");
}

testOnDatabases(
  "All recipients get the same digest, each with their own links",
  async (database) => {
    await using services = await startDigests(database);
    for (const email of RECEIVERS) await services.verify(email);
    await importItems(database, [makeItem(1), makeItem(2)]);
    const [toAnn, toBob] = await services.digest();
    assertEquals([toAnn!.envelopeTo, toBob!.envelopeTo], RECEIVERS.map((email) => [email]));
    assertEquals(sharedText(toAnn!), sharedText(toBob!));
    for (const path of ["/preferences", "/unsubscribe"]) {
      const [link, other] = [linkOf(toAnn!, path), linkOf(toBob!, path)];
      assert(link !== other);
      for (const [mail, own, foreign] of [[toAnn, link, other], [toBob, other, link]] as const) {
        assert(mail!.html!.includes(`<a href="${own}"`));
        assert(!mail!.raw.replaceAll("=\r\n", "").includes(foreign.split("token=")[1]!));
      }
    }
    assertEquals((await services.app.fetch(linkOf(toBob!, "/unsubscribe"))).status, 200);
    assertEquals(await Promise.all(RECEIVERS.map((email) => stateOf(database, email))), [
      "verified",
      "unsubscribed",
    ]);
  },
);

testOnDatabases("An email arrives as written, in short lines of ASCII", async (database) => {
  await using services = await startDigests(database, { SITE_NAME: "Straße 路線図" });
  await services.verify(RECEIVERS[0]!);
  const names = [
    "x".repeat(150),
    "路線図".repeat(50),
    "a=3D =\u00a0= ö …".repeat(10),
    `${"..".repeat(70)} .`,
  ];
  await importItems(
    database,
    names.map((feature_name, index) => makeItem(index + 1, { feature_name })),
  );
  const [mail] = await services.digest();
  assertEquals(
    listedIn(mail!).toSorted(),
    names.map((name) => name.replaceAll("\u00a0", " ")).toSorted(),
  );
  for (const name of listedIn(mail!)) assert(mail!.html!.includes(`>${name}</a>`), name);
  match(mail!.html!, /^<!doctype html>\n<html lang="en">[^]*<\/html>\s*$/);
  match(mail!.text!, /\nStraße 路線図: https:\/\/example\.com\/roadmap\s*$/);
  const lines = mail!.raw.slice(mail!.raw.indexOf("\r\n\r\n")).split("\r\n");
  assertEquals(lines.filter((line) => line.length > 76), []); // RFC 2045, section 6.7
  assert(/^[\t\r\n -~]*$/.test(mail!.raw));
});
