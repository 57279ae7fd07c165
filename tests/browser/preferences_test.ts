import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findBarriers, LOOKS, shareSite, startSampleServer } from "../support/browser.ts";
import { findFreePort } from "../support/server.ts";
import {
  linkOf,
  type MailServer,
  type ReceivedMail,
  startMailServer,
} from "../support/servers/mail_server.ts";

let mail: MailServer;

// Hooks run in reverse order of registration.
Deno.test.afterAll(async () => await mail[Symbol.asyncDispose]());
const { test, openPage } = shareSite(async () => {
  mail = await startMailServer();
  return await startSampleServer({ SMTP_URL: mail.url, MAIL_FROM: "roadmap@example.com" });
});

/** The email to an address, once it has arrived. */
async function receivedBy(address: string): Promise<ReceivedMail> {
  const isTo = ({ envelopeTo }: ReceivedMail) => envelopeTo[0] === address;
  while (!mail.received.some(isTo)) await mail.receive(mail.received.length + 1);
  return mail.received.find(isTo)!;
}

async function subscribe(url: string, email: string): Promise<void> {
  const response = await fetch(`${url}/api/subscribe`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email }),
  });
  assertEquals(response.status, 202);
  await response.body?.cancel();
}

/** The distance from the top of the viewport to an element; negative if it is above. */
function topOf(page: Page, selector: string): Promise<number> {
  return page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);
}

test("The confirmation replaces the form, in view and focused", async (page) => {
  await page.goto("/subscribe");
  await page.locator("#email").fill("ada@example.com");
  const focused = page.evaluate(() =>
    new Promise<string>((resolve) => {
      const answer = document.querySelector(".answer")!;
      new MutationObserver(() => resolve(document.activeElement!.className))
        .observe(answer, { childList: true });
    })
  );
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("Check your inbox.").waitFor();
  const top = await topOf(page, ".answer");
  assert(top >= 0 && top < 600, `the answer is at ${top} px`);
  assertEquals(await page.locator("#email").count(), 0);
  assertEquals(await focused, "answer notice success"); // as soon as it appears
}, { viewport: { width: 1280, height: 900 } });

test("Without scripts a release can be watched, and preferences changed", async (page) => {
  await page.goto("/");
  await page.locator("h2 a, h3 a").first().click();
  await page.locator("#email").fill("grace@example.com");
  await page.getByRole("button", { name: "Watch this release" }).click();
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
  const received = await receivedBy("grace@example.com");
  await page.goto(linkOf(received, "/verify-email"));
  await page.getByText("Right away, when the release you watch changes.").waitFor();
  await page.getByRole("link", { name: "change your preferences" }).click();
  await page.getByLabel("Every day at 07:00 UTC").check();
  assertEquals(await page.getByLabel("In each email, list").isChecked(), false); // not a weekly one
  await page.getByLabel("In each email, list").check();
  await page.getByLabel("Remind me 30 days").uncheck();
  await page.getByLabel("Pause until").fill("2099-01-01");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("We’ll hold your emails until the pause ends.").waitFor();
  assertEquals(await page.getByLabel("Every day at 07:00 UTC").isChecked(), true);
  assertEquals(await page.getByLabel("In each email, list").isChecked(), true);
  assertEquals(await page.getByLabel("Remind me 30 days").isChecked(), false);
}, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });

test("Without TLS the forms of emailed links work, and preserve their token", async () => {
  const port = findFreePort();
  const BASE_URL = `http://intranet.test:${port}`;
  await using server = await startSampleServer({
    ...{ PORT: String(port), BASE_URL, SMTP_URL: mail.url, MAIL_FROM: "roadmap@example.com" },
  });
  await subscribe(server.url, "kay@example.com");
  const { page, close } = await openPage();
  const intranet = new URL(BASE_URL);
  const sent: Record<string, string>[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.headers());
  });
  await page.goto(linkOf(await receivedBy("kay@example.com"), "/verify-email"));
  await page.goto(linkOf(await receivedBy("kay@example.com"), "/preferences"));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.goto(`${intranet.origin}/verify-email?token=unknown`);
  await page.getByLabel("Your email address").fill("lin@example.com");
  await page.getByRole("button", { name: "Send a new link" }).click();
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
  assertEquals(sent.length, 2);
  for (const headers of sent) {
    assertEquals([headers.origin, headers["sec-fetch-site"]], [intranet.origin, undefined]);
    assertEquals(headers.referer ?? "", `${intranet.origin}/`);
  }
  await close();
});

for (const { name, options } of LOOKS) {
  test(`The preferences are readable and accessible (${name})`, async () => {
    const { page, faults, close } = await openPage(options);
    await page.goto(linkOf(await receivedBy("grace@example.com"), "/preferences"));
    assertEquals(await findBarriers(page), []);
    const overflow = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    );
    assertEquals(overflow, 0);
    assertEquals(faults, []);
    const shots = Deno.env.get("SHOTS");
    if (shots) await page.screenshot({ path: `${shots}/preferences ${name}.png`, fullPage: true });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assertEquals(await findBarriers(page), []);
    if (shots) await page.screenshot({ path: `${shots}/saved ${name}.png`, fullPage: true });
    await page.getByText("Export or delete my data").click();
    await page.getByRole("button", { name: "Delete my data" }).waitFor();
    assertEquals(await findBarriers(page), []);
    await close();
  });
}
