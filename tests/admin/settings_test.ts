import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { listSettings } from "../../lib/admin/shown_settings.ts";
import { SETTING_NAMES } from "../../lib/config/settings.ts";
import { startApp } from "../support/app.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { slowOnDatabases } from "../support/slow.ts";

const SECRETS = {
  ADMIN_TOKEN,
  TOKEN_SECRET: "a-secret-of-the-links-of-thirty-two",
  BOUNCE_SECRET: "a-secret-of-the-mail-service",
  BOUNCE_MAILBOX: "imaps://me:mailbox-password@127.0.0.1:1/Bounces",
  SMTP_URL: "smtp://postmaster:smtp-password@127.0.0.1:1/?key=smtp-key",
  MAIL_FROM: "roadmap@example.com",
  GITHUB_TOKEN: "github-secret",
  JIRA_URL: "https://me:jira-password@jira.example.com",
  JIRA_EMAIL: "ann@example.com",
  JIRA_TOKEN: "jira-secret",
  WEBSUB_HUB: "https://hub.example/?key=hub-key",
  GITLAB_URL: "https://me:gitlab-password@gitlab.example.com",
};
const HIDDEN =
  /a-secret-of|admin-token-of|smtp-password|smtp-key|postmaster|github-secret|jira-secret|gitlab-password|jira-password|hub-key|mailbox-password/;

slowOnDatabases("Settings show their value and origin, and no secret", async (database) => {
  await using app = await startApp(database, {
    ...SECRETS,
    SITE_NAME: "<b>Ours</b>",
    PORT: "9000",
  });
  const operator = await startOperator(app);
  const page = await operator.read("/admin/settings");
  const site = /<h2>Site<\/h2>(.*?)<\/section>/s.exec(page)![1]!;
  const seen = new Map(
    [...site.matchAll(/<tr><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td>/g)]
      .map(([, what, now, by]) => [what!, [now!, by!.replaceAll(/<[^>]*>/g, "")]]),
  );
  assertEquals(seen.get("Name"), ["&lt;b>Ours&lt;/b>", "SITE_NAME"]);
  assertEquals(seen.get("Language"), ["English", "LANGUAGE"]);
  assertEquals(seen.get("Logo and colour")![0], "the mark of Roadcast, its green");
  assertEquals(seen.get("Links in the header and footer")![0], "none");
  assertEquals(seen.get("Emails"), [
    "from roadmap@example.com, by 127.0.0.1",
    "SMTP_URL, MAIL_FROM",
  ]);
  assertEquals(seen.get("Digests")![0], "Every Monday at 07:00 UTC");
  assertEquals(seen.get("Roadmap"), ["no scheduled source", "Sources"]);
  const rowOf = (name: string) =>
    new RegExp(`<tr><td><code>${name}</code></td><td>(.*?)</td><td>(.*?)</td>`).exec(page)
      ?.slice(1);
  assertEquals(rowOf("SITE_NAME"), ["&lt;b>Ours&lt;/b>", "environment"]);
  assertEquals(rowOf("PORT"), ["9000", "environment"]);
  assertEquals(rowOf("HOST"), ["0.0.0.0", "default"]);
  assertEquals(rowOf("DIGEST_TIME"), ["07:00", "default"]);
  assertEquals(rowOf("BASE_URL"), ["http://localhost:PORT", "default"]);
  assertEquals(rowOf("SMTP_URL"), ["smtp://127.0.0.1:1/", "environment"]);
  assertEquals(rowOf("BOUNCE_MAILBOX"), ["imaps://127.0.0.1:1/Bounces", "environment"]);
  assertEquals(rowOf("GITLAB_URL"), ["https://gitlab.example.com/", "environment"]);
  for (
    const name of ["ADMIN_TOKEN", "TOKEN_SECRET", "BOUNCE_SECRET", "GITHUB_TOKEN", "JIRA_TOKEN"]
  ) {
    assertEquals([name, rowOf(name)], [name, ["set, not shown", "environment"]]);
  }
  for (const path of ["/admin", "/admin/settings", "/admin/sources"]) {
    assertEquals([path, HIDDEN.exec(await operator.read(path))], [path, null]);
  }
});

slowOnDatabases(
  "Findings of the checks are shown beside their settings, problems first",
  async (database) => {
    await using app = await startApp(database, SECRETS);
    const operator = await startOperator(app);
    const wrong =
      /<h2>Problems found<\/h2>.*<code>SMTP_URL<\/code>.*class="admin-problem"[^>]*>No server answers at 127\.0\.0\.1:1: .*<h2>Server<\/h2>/s;
    let page = await operator.read("/admin/settings");
    for (let time = 0; time < 10 && !wrong.test(page); time++) {
      page = await operator.read("/admin/settings");
    }
    match(page, wrong);
    match(
      page,
      /<code>OPENAI_API_KEY<\/code>.*<p class="quiet">OPENAI_API_KEY is not set: search/s,
    );
  },
);

Deno.test("Every setting is in one group", () => {
  const listed = listSettings({}).flatMap(({ settings }) => settings.map(({ name }) => name));
  assertEquals(listed.toSorted(), [...SETTING_NAMES].sort());
});
