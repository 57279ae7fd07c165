import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { runHere } from "../support/command.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { ADMIN_TOKEN, startOperatorAt } from "../support/subjects/operator.ts";
import { waitFor } from "../support/wait_for.ts";

const CSV = "ID,Title,Product,Status\n1,Maps,App,Planned\n";
const SECRET = "canary-of-a-source";

Deno.test("A source that was added is imported at once, also after a restart, and by commands", async () => {
  let asked = 0;
  await using source = serveSource((request) => {
    asked++;
    return request.headers.get("x-key") === SECRET
      ? new Response(CSV, { headers: { "content-type": "text/csv" } })
      : new Response(null, { status: 401 });
  });
  await withFolder(async (folder) => {
    const settings = { DATA_DIR: `${folder}/data`, ADMIN_TOKEN, SOURCE_ALLOW_PRIVATE: "true" };
    await copyMigrated(settings.DATA_DIR);
    {
      await using server = await startServer(settings);
      const operator = await startOperatorAt(server);
      const begun = await operator.post("/admin/source/add#add", {
        name: "plans",
        from: source.url,
        every_minutes: "60",
        sign_in: "header",
        header: "X-Key",
        secret: SECRET,
      });
      await begun.body?.cancel();
      const [, id] = begun.headers.get("location")!.split("id=");
      match(await operator.submit("/admin/upload#import", { id: id! }), /The source is added\./);
      await waitFor("the release", async () => {
        const { pagination } = await (await fetch(`${server.url}/api/releases?q=Maps&source=plans`))
          .json();
        return pagination.total_items === 1;
      });
      const listed = await runHere(["sources"], settings);
      match(
        listed.out,
        /^plans {2}kind detected {2}http:.*added at \/admin\/sources {2}1 active item/,
      );
      const tried = await runHere(["import", "plans", "--dry-run"], settings);
      match(tried.out, /read as csv: 1 item/);
    }
    const before = asked;
    {
      await using _server = await startServer(settings);
      await waitFor("an import", () => Promise.resolve(asked > before));
    }
    const files = [`${folder}/a.sql`, `${folder}/b.sql`];
    assertEquals((await runHere(["backup", "--sql", files[0]!], settings)).code, 0);
    doesNotMatch(await Deno.readTextFile(files[0]!), new RegExp(SECRET));
    const words = ["backup", "--sql", "--with-secrets", files[1]!];
    assertEquals((await runHere(words, settings)).code, 0);
    match(await Deno.readTextFile(files[1]!), new RegExp(SECRET));
    const wrong = await runHere(["backup", "--with-secrets", `${folder}/c`], settings);
    assertEquals([wrong.code, /--with-secrets goes with --sql/.test(wrong.err)], [2, true]);

    // Without its secret a restored source says what to do.
    const restored = { DATA_DIR: `${folder}/restored` };
    assertEquals((await runHere(["restore", files[0]!], restored)).code, 0);
    const refused = await runHere(["import", "plans", "--dry-run"], restored);
    match(refused.err, /SECRET, for its header X-Key, is not stored.*at \/admin\/sources/);
    // That of the settings stays where it has the same name.
    const config = `${folder}/sources.json`;
    const entry = { name: "plans", from: "plans.csv" };
    await Deno.writeTextFile(config, JSON.stringify({ sources: [entry] }));
    const both = { ...restored, ROADMAP_CONFIG: config };
    match(
      (await runHere(["sources", "remove", "plans"], both)).out,
      /^Removed the source "plans" that was added at \/admin\/sources; that of the settings stays$/m,
    );
    const only = await runHere(["sources", "remove", "plans"], both);
    match(only.err, /is imported on a schedule: remove it from ROADMAP_CONFIG first/);
    const removed = await runHere(["sources", "remove", "plans"], restored);
    match(removed.out, /^Removed 1 item of the source "plans"/);
    match((await runHere(["sources"], restored)).out, /No sources yet/);
  });
});
