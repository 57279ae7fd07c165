import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";
import { findBarriers, shareSite, startSampleServer } from "../support/browser.ts";
import { linkOf, startMailServer } from "../support/servers/mail_server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";
import { startReceiver } from "../support/subjects/webhooks.ts";
import { waitFor } from "../support/wait_for.ts";

const mail = await startMailServer();
Deno.test.afterAll(async () => await mail[Symbol.asyncDispose]());
const { test, openPage } = shareSite(() =>
  startSampleServer({
    ADMIN_TOKEN,
    SOURCE_ALLOW_PRIVATE: "true",
    SMTP_URL: mail.url,
    MAIL_FROM: "roadmap@example.com",
    WEBHOOK_ALLOW_PRIVATE: "true", // the receiver of this test is on this machine
    SUBSCRIBE_LIMIT: "20",
  })
);

const OWN = [
  "ID;Title;Team;Status;Date;Owner",
  "P-101;Dark mode;Mobile app;Building now;Q1 2031;Kim",
  "P-102;Offline maps;Mobile app;Next up;03/04/2031;Sam",
  "P-103;Single sign-on;Admin console;Live;Q3 2026;Kim",
].join("\n");

/** What a person does: the clicks, and the fields that are typed or chosen. */
class Hand {
  clicks = 0;
  fields = 0;

  constructor(readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  follow(name: string): Promise<void> {
    return this.click(this.page.getByRole("link", { name, exact: true }).first());
  }

  press(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole("button", { name }));
  }

  async type(label: string, text: string): Promise<void> {
    this.fields++;
    await this.page.getByLabel(label, { exact: true }).fill(text);
  }

  async choose(label: string, option: string): Promise<void> {
    this.fields++;
    await this.page.getByLabel(label, { exact: true }).selectOption({ label: option });
  }

  see(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }
}

test("Without a shell: two sources, three subscribers and a message in Teams", async () => {
  let rows = [["T-1", "Faster sync", "Planned"], ["T-2", "New editor", "In development"]];
  await using tracker = serveSource(() =>
    new Response(
      [
        "ID,Title,Product,Status",
        ...rows.map(([id, name, status]) => `${id},${name},Core,${status}`),
      ].join("\n"),
      { headers: { "content-type": "text/csv" } },
    )
  );
  await using teams = startReceiver(() => new Response(null, { status: 202 }));
  const { page, faults, close } = await openPage();
  const hand = new Hand(page);

  // A file of one's own, instead of the sample.
  await page.goto("/");
  await hand.follow("upload a file");
  await hand.type("Token", ADMIN_TOKEN);
  await hand.press("Sign in");
  await page.getByRole("heading", { level: 1, name: "Upload" }).waitFor();
  // A wrong name is refused before the file is sent; one that is right stands there already.
  const [name, file] = await page.locator("main input:not([type=hidden])").all();
  assertEquals(await name!.inputValue(), "default");
  assertEquals(await file!.getAttribute("type"), "file");
  hand.fields++;
  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "own.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(OWN),
  });
  await hand.press("Upload and check");
  await hand.choose("What Team is", "Product");
  await hand.press("3 Apr 2031");
  await hand.press("Import 3 releases");
  await hand.see("The file is imported and live on the roadmap.");
  assertEquals(await findBarriers(page), []);
  await hand.follow("See it on the roadmap");
  await page.getByRole("link", { name: "Dark mode" }).waitFor();
  match(await page.locator("main").innerText(), /Offline maps/);

  // A source by its address, which is wrong at first.
  await page.goto("/admin");
  await hand.follow("Sources");
  await hand.follow("Add a source");
  await hand.type("Name", "tracker");
  await hand.type("Address", "http://tracker.example.invalid/plans.csv");
  await hand.press("Read and check");
  await hand.see("there is no server at tracker.example.invalid: check the address");
  await hand.type("Address", `${tracker.url}/plans.csv`);
  await hand.press("Check again");
  await hand.see("2 releases will be added");
  await hand.press("Add the source");
  await hand.see("The source is added.");
  const source = "/admin/source?name=tracker";
  await waitFor("the first import", async () => {
    await page.goto(source);
    return await page.getByText("2 added").count() > 0;
  });
  await hand.follow("See it on the roadmap");
  await page.getByRole("link", { name: "Faster sync" }).waitFor();

  // Three readers.
  for (const [place, name] of ["ann", "bob", "cy"].entries()) {
    const reader = await openPage();
    const other = new Hand(reader.page);
    await reader.page.goto("/subscribe");
    await reader.page.locator("#email").fill(`${name}@example.com`);
    await other.press("Subscribe");
    await other.see(/Check your inbox/);
    const received = await mail.receive(place + 1);
    await reader.page.goto(linkOf(received.at(-1)!, "/verify-email"));
    await other.see("You’re subscribed");
    assertEquals(reader.faults, []);
    await reader.close();
  }
  await page.goto("/admin");
  await hand.follow("Subscribers");
  for (const name of ["ann", "bob", "cy"]) {
    await hand.see(`${name}@example.com`);
  }

  // Teams, whose address is wrong at first.
  await hand.follow("Webhooks");
  await hand.choose("Kind", "Microsoft Teams");
  await hand.type("Address", `${teams.url}/workflows/abc`);
  await hand.press(/^Add$/);
  await hand.follow("Test or edit it");
  await hand.press(/^Test/);
  await hand.see("The test succeeded.");
  assertEquals(teams.received.length, 1);

  // What changes reaches all of them.
  rows = [["T-1", "Faster sync", "Shipped"], ["T-2", "New editor", "In development"]];
  await page.goto(source);
  await hand.press("Import now");
  await waitFor("the message in Teams", () => Promise.resolve(teams.received.length > 1));
  const { type, attachments } = JSON.parse(teams.received.at(-1)!.body);
  assertEquals([type, attachments[0].content.type], ["message", "AdaptiveCard"]);
  match(teams.received.at(-1)!.body, /Faster sync/);
  assertEquals(faults, []);
  await close();
  // A way that grows longer is noticed.
  assertEquals([hand.clicks, hand.fields], [18, 8]);
});
