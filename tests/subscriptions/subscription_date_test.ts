import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { exportSubscribers } from "../../lib/delivery/subscriptions/export_subscribers.ts";
import { makeItem, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";

const ANN = "ann@example.com";
const SOON = { Preview: "2026-07-31" };

testOnDatabases("A subscription may go by a named date", async (database) => {
  await using services = await startDigests(database, {
    ADMIN_TOKEN,
    BASE_URL: "http://a.example",
  });
  const release = (number: number, dates: Record<string, string>, status = "Planned") =>
    makeItem(number, { dates, release_date: "2026-12-31", release_status: status });
  const later = { Preview: "2027-03-31" };
  await services.import([release(1, SOON), release(2, later), release(3, {})]);
  const asked = { due: ["next30"], date_name: "preview", upcoming: true };
  await services.verify(ANN, asked, "");
  await services.verify("all@example.com", { date_name: ["Preview"], upcoming: true }, "");
  await services.verify("release@example.com", { due: ["next30"] }, "");
  const status = "In development";
  await services.import([release(1, SOON, status), release(2, later, status), release(3, {})]);
  const mails = await services.digest();
  assertEquals(mails.map((mail) => [mail.envelopeTo[0], listedIn(mail)]), [["all@example.com", [
    "Feature 1",
    "Feature 2",
  ]], [ANN, ["Feature 1"]]]);
  for (const { text } of mails) {
    match(text!, /^\* Feature 1\n {2}Product · preview Q3 2026\n/im);
    match(
      text!,
      /^Next 30 days\n-+\n\n- Feature 1\n {2}Product · In development · preview Q3 2026$/im,
    );
  }
  match(mails[0]!.text!, /subscribed to Roadcast: changes to all releases, by Preview\./);
  const words = /changes to releases that are due in the next 30 days, by preview\./;
  match(mails[1]!.text!, words);
  const link = linkOf(services.newestTo(ANN), "/preferences");
  const page = await (await services.app.fetch(link)).text();
  match(page, words);
  match(page, /<input type="radio" name="date_name" value="Preview" checked/);
  const operator = await startOperator(services.app);
  const [ann] = await database.query<{ id: string }>(
    sql`select subscription_id::text as id from subscriptions where email = ${ANN}`,
  );
  match(await operator.read(`/admin/subscriber?id=${ann!.id}`), words);
  const lines = (await Array.fromAsync(exportSubscribers(database, TODAY))).join("").split("\r\n");
  match(lines[0]!, /,date_name$/);
  match(lines[2]!, /^ann@example\.com,.*,"\[""preview""\]"$/);
});

testOnDatabases(
  "The form of preferences takes a named date off, and no other one",
  async (database) => {
    await using services = await startDigests(database);
    await services.import([
      makeItem(1, { dates: SOON }),
      makeItem(2, { dates: { Beta: "2026-08-31" } }),
    ]);
    await services.verify(ANN, { date_name: "Preview" });
    const token = new URL(linkOf(services.newestTo(ANN), "/preferences")).searchParams.get(
      "token",
    )!;
    const save = async (fields: Record<string, string>) => {
      const body = new URLSearchParams({ token, cadence: "weekly", ...fields });
      const response = await services.app.fetch("/roadmap/preferences", { method: "POST", body });
      const [row] = await database.query<Record<string, unknown>>(
        sql`select scope, filter from subscriptions`,
      );
      return [response.status, { ...row! }];
    };
    const by = (name: string) => [200, { scope: "chosen", filter: { date_name: [name] } }];
    assertEquals(await save({ scope: "chosen" }), by("Preview"));
    assertEquals(await save({ scope: "chosen", date_name: "Beta" }), by("Beta"));
    assertEquals(await save({ scope: "chosen", date_name: "" }), [200, {
      scope: "all",
      filter: {},
    }]);
  },
);

testOnDatabases("A request to subscribe takes one named date", async (database) => {
  await using services = await startDigests(database);
  await services.import([makeItem(1, { dates: SOON })]);
  const ask = async (date_name: unknown) => {
    const response = await services.app.fetch("/roadmap/api/subscribe", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: ANN, date_name }),
    });
    const { detail, unknown } = await response.json();
    return [response.status, detail ?? unknown];
  };
  assertEquals(await ask("PREVIEW"), [202, undefined]);
  assertEquals(await ask("Beta"), [202, { date_name: ["Beta"] }]);
  assertEquals(await ask(["Preview", "Beta"]), [400, "date_name must have at most 1 value"]);
  const page = await (await services.app.fetch("/roadmap/subscribe?date_name=preview")).text();
  match(page, /changes to all releases, by preview\./);
  match(page, /<input type="radio" name="date_name" value="Preview" checked/);
});
