import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import {
  chooseFilter,
  findBarriers,
  LOOKS,
  shareSite,
  startSampleServer,
} from "../support/browser.ts";

const { test, openPage } = shareSite(() => startSampleServer({ SUBSCRIBE_LIMIT: "20" }));

test("The form says when the server cannot be reached, and preserves its input", async () => {
  const { page, close } = await openPage();
  await page.goto("/subscribe?product_name=Peatstore");
  await page.locator("#email").fill("ada@example.com");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("Cannot reach the server.").waitFor();
  assertEquals(await page.locator("#email").inputValue(), "ada@example.com");
  assertEquals(await page.getByLabel("Peatstore").isChecked(), true);
  assertEquals(await findBarriers(page), []);
  await close();
});

test("An invalid email address is not sent", async (page) => {
  await page.goto("/subscribe");
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.method()));
  await page.locator("#email").fill("nobody");
  await page.getByRole("button", { name: "Subscribe" }).click();
  assertEquals(await page.locator("#email:invalid").count(), 1);
  assertEquals(sent.includes("POST"), false);
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";
  test(`A lost link can be requested again, ${how} scripts`, async (page) => {
    await page.goto("/subscribe");
    await page.getByText("Already subscribed?").click();
    await page.locator("#link-email").fill("ada@example.com");
    await page.getByRole("button", { name: "Send me the link" }).click();
    await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
    if (javaScriptEnabled) assertEquals(await findBarriers(page), []);
  }, { javaScriptEnabled });
}

for (const { name, options } of LOOKS) {
  test(`Every response to a subscribe request is shown in words (${name})`, async () => {
    const { page, faults, close } = await openPage(options);
    await page.goto("/");
    await chooseFilter(page, "Product", "Peatstore");
    const show = page.getByRole("button", { name: /^Show/ });
    if (await show.isVisible()) await show.click();
    await page.getByRole("link", { name: "Follow", exact: true }).click();
    await page.locator("#email").fill("ada@example.com");
    await page.getByRole("button", { name: "Subscribe" }).click();
    const answer = page.locator(".answer");
    await answer.getByText(/Check your inbox|Too many requests/).waitFor();
    match(await answer.innerText(), /we’ve just sent you a link|Try again in/);
    assertEquals(await findBarriers(page), []);
    assertEquals(faults.filter((fault) => !fault.includes("429")), []);
    await close();
  });
}

test("Subscribing works without scripts", async () => {
  const { page, faults, close } = await openPage({ javaScriptEnabled: false });
  await page.goto("/subscribe?product_name=Peatstore");
  await page.locator("#email").fill("grace@example.com");
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === "POST"),
    page.getByRole("button", { name: "Subscribe" }).click(),
  ]);
  match(String(response.status()), /^(202|303)$/);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assertEquals(faults, []);
  await close();
});

test("What will come is said as it is chosen, and a mistake stands at its field", async () => {
  const { page, faults, close } = await openPage({ viewport: { width: 1280, height: 900 } });
  await page.goto("/subscribe");
  await page.getByText("Every Monday at 07:00 UTC, if anything changed.").waitFor();
  await page.getByRole("checkbox", { name: /^Peatstore/ }).check();
  await page.getByText("Every Monday at 07:00 UTC: changes to Peatstore releases.").waitFor();
  await page.getByText("Right away").click();
  await page.getByText("Right away: changes to Peatstore releases.").waitFor();
  await page.getByText("More conditions").click();
  await page.getByLabel("Slipped", { exact: true }).check();
  await page.getByText("Right away: changes to Peatstore releases (only Slipped).").waitFor();
  await page.locator("#email").fill("ada@example");
  await page.getByRole("button", { name: "Subscribe" }).click();
  const mistake = page.locator("#email-mistake");
  await mistake.getByText("The address must end with the name of a domain").waitFor();
  assertEquals(await page.locator(":focus").getAttribute("id"), "email");
  assertEquals(await page.locator("#email").getAttribute("aria-invalid"), "true");
  match((await page.locator("#email").getAttribute("aria-describedby"))!, /^email-mistake /);
  assertEquals(await findBarriers(page), []);
  await page.locator("#email").fill("ada@example.com");
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.method() === "POST"),
    page.getByRole("button", { name: "Subscribe" }).click(),
  ]);
  const sent = new URLSearchParams(request.postData()!);
  assertEquals(
    [sent.getAll("products"), sent.has("statuses"), sent.getAll("kinds"), sent.get("cadence")],
    [["Peatstore"], false, ["slipped"], "immediate"],
  );
  await page.locator(".answer").getByText(/Check your inbox|Too many requests/).waitFor();
  assertEquals(faults.filter((fault) => !/4(00|29)/.test(fault)), []);
  const shots = Deno.env.get("SHOTS");
  if (shots) await page.screenshot({ path: `${shots}/subscribe.png`, fullPage: true });
  await close();
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with" : "without";
  test(`The form shows a preview of its email, ${how} scripts`, async (page) => {
    await page.goto("/subscribe");
    await page.locator("#email").fill("ada@example.com");
    await page.getByRole("button", { name: "Preview this email" }).click();
    await page.waitForURL("**/subscribe/preview?*");
    assertEquals(new URL(page.url()).search, "?cadence=weekly");
    const text = await page.locator("body").innerText();
    match(text, /You are receiving this email because you subscribed/);
    await page.getByRole("link", { name: "Manage your preferences" }).click();
    await page.waitForURL("**/subscribe?cadence=weekly");
  }, { javaScriptEnabled });
}

for (const { name, options } of LOOKS) {
  test(`The form and its preview fit, and are accessible (${name})`, async (page) => {
    const shots = Deno.env.get("SHOTS");
    for (const path of ["/subscribe?product_name=Peatstore", "/subscribe/preview"]) {
      await page.goto(path);
      if (path.startsWith("/subscribe?")) assertEquals(await findBarriers(page), []);
      const overflow = await page.evaluate(() =>
        document.documentElement.scrollWidth - document.documentElement.clientWidth
      );
      assertEquals([path, overflow], [path, 0]);
      const file = `${shots}/${path.includes("preview") ? "preview" : "form"} ${name}.png`;
      if (shots) await page.screenshot({ path: file, fullPage: true });
    }
  }, options);
}

test("UTC times are shown in the reader's time zone, and a long list is searched", async (page) => {
  const others = ["A", "B", "C", "D", "E"].map((name) => `&product_name=${name}`).join("");
  await page.goto(`/subscribe?product_name=Peatstore${others}`);
  await page.getByText("Every Monday at 07:00 UTC (Monday 16:00 your time)").waitFor();
  await page.getByText("Every day at 07:00 UTC (16:00 your time)").waitFor();
  await page.getByLabel("Search products").fill("peat");
  const shown = page.locator("input[name=products]:visible");
  const values = await shown.evaluateAll((inputs) =>
    inputs.map((input) => (input as HTMLInputElement).value)
  );
  assertEquals(values, ["Peatstore"]);
}, { timezoneId: "Asia/Tokyo" });

test("A release is watched without leaving its page", async () => {
  const { page, faults, close } = await openPage({ viewport: { width: 1280, height: 900 } });
  await page.goto("/");
  await page.locator(".release-row h3 a").first().click();
  await page.waitForURL("**/release/*");
  const address = page.url();
  await page.locator("#email").fill("ada@example.com");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Watch this release" }).click();
  await page.getByText("Cannot reach the server.").waitFor();
  await page.context().setOffline(false);
  assertEquals(await page.locator("#email").inputValue(), "ada@example.com");
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.method() === "POST"),
    page.getByRole("button", { name: "Watch this release" }).click(),
  ]);
  assertEquals(Object.fromEntries(new URLSearchParams(request.postData()!)), {
    email: "ada@example.com",
    cadence: "immediate",
    releases: address.split("/").at(-1),
  });
  await page.locator(".answer").getByText(/Check your inbox|Too many requests/).waitFor();
  assertEquals(page.url(), address);
  assertEquals(await findBarriers(page), []);
  const unexpected = faults.filter((fault) => !/429|ERR_INTERNET_DISCONNECTED/.test(fault));
  assertEquals(unexpected, []);
  await close();
});
