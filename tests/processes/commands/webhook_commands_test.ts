import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { openEmbedded } from "../../../lib/database/embedded/embedded.ts";
import { makeItem } from "../../support/app.ts";
import { runHere, runTask } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";
import { makeCertificate } from "../../support/servers/mail_server.ts";
import { testOnOwnDatabases } from "../../support/fault_databases.ts";
import { withFolder } from "../../support/folder.ts";
import { startServer, startServerByTask } from "../../support/server.ts";
import { startReceiver } from "../../support/subjects/webhooks.ts";
import { waitFor } from "../../support/wait_for.ts";

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

Deno.test("Webhooks are added, tested, sent, listed and removed while a server runs", () =>
  withFolder(async (folder) => {
    await using receiver = startReceiver();
    const settings = { DATA_DIR: join(folder, "data"), WEBHOOK_ALLOW_PRIVATE: "true" };
    const file = join(folder, "roadmap.json");
    const roadmap = async (...items: unknown[]) => {
      await Deno.writeTextFile(file, JSON.stringify(items));
      assertEquals((await runHere(["import", file, "--allow-mass-removal"], settings)).code, 0);
    };
    await copyMigrated(settings.DATA_DIR);
    await roadmap(makeItem(1));
    await using server = await startServerByTask(settings);
    const said: string[] = [];
    const run = async (...words: string[]) => {
      const start = words[0] === "test" ? runTask : runHere;
      const { code, out, err } = await start(["webhooks", ...words], settings);
      assertEquals([code, err], [0, ""]);
      said.push(out);
      return out.replace(TIME, "TIME").replace(UUID, "ID");
    };
    assertEquals(await run(), "No webhooks yet");
    const added = await run(
      "add",
      `${receiver.url}/s3cret-path?key=s3cret`,
      "--name",
      "ops",
      "--product-name",
      "Product",
      "--product-name",
      "Prodct",
    );
    said.pop();
    const [first, second, third] = added.split("\n");
    assertEquals(first, `Added the webhook "ops" (standard): ${receiver.url}/…`);
    assertEquals(third, 'No release has "Prodct" now; it is sent once one does');
    const [, secret] = /^Its secret, which is not shown again: (whsec_\S{44})$/.exec(second!)!;
    assertEquals(
      await run("add", `${receiver.url}/s3cret-chat`, "--kind", "slack"),
      `Added the webhook "127.0.0.1" (slack): ${receiver.url}/…`,
    );
    match(
      await run(
        ...["add", `${receiver.url}/`, "--kind", "discord", "--cadence", "weekly"],
        // Blanks around a value and an empty one do not count, as on the page.
        ...["--product-name", " ", "--release-type", " Preview ", "--date-name", "Beta"],
      ),
      /webhook "127\.0\.0\.1-2" \(disc.*\nIt gets all changes in one message, every Monday at 07:00 UTC\n/,
    );
    match(
      await run("list"),
      /^127\.0\.0\.1-2 {2}discord {2}\S+ {2}enabled {2}weekly {2}date_name "Beta" {2}release_type "Preview" {2}nothing del/m,
    );
    assertEquals(await run("remove", "127.0.0.1-2"), 'Removed the webhook "127.0.0.1-2"');
    assertEquals(await run("deliveries"), "No deliveries yet");
    assertEquals(await run("test", "ops"), "The test succeeded. It answered 204 No Content");
    const [test] = receiver.received.splice(0);
    assertEquals(JSON.parse(test!.body), new Webhook(secret!).verify(test!.body, test!.headers));
    assertEquals(JSON.parse(test!.body).type, "roadmap.test");
    await run("test", "127.0.0.1");
    match(JSON.parse(receiver.received.splice(0)[0]!.body).text, /^Roadcast: this is a test/);

    await roadmap(makeItem(1), makeItem(2));
    await waitFor("both", () => receiver.received.length === 2);
    const told = receiver.received.find(({ path }) => path === "/s3cret-path?key=s3cret")!;
    const body = new Webhook(secret!).verify(told.body, told.headers) as { type: string };
    assertEquals(body.type, "roadmap.changed");
    await waitFor("the end of both", async () => !(await run("deliveries")).includes("waiting"));
    assertEquals(await run("deliveries", "ops"), "ID sent ops, TIME, 1 attempt, ended TIME");
    assertEquals((await run("list")).split("\n"), [
      `127.0.0.1  slack  ${receiver.url}/…  enabled  last delivery TIME sent`,
      `ops  standard  ${receiver.url}/…  enabled  product_name "Prodct", "Product"  ` +
      "last delivery TIME sent",
    ]);
    assertEquals(
      await run("enable", "ops"),
      'The webhook "ops" is enabled; 0 waiting deliveries are due now',
    );
    await waitFor("the log", () => /went to the webhook/.test(server.output()));
    server.kill("SIGTERM");
    assertEquals(await server.ended, 0);
    for (const text of [...said, server.output()]) {
      assert(!/s3cret|whsec_/.test(text) && !text.includes(secret!.slice(6)), text);
    }
  }));

Deno.test("Mistakes in a webhook are reported without revealing its address", () =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: join(folder, "data") };
    const file = join(folder, "roadmap.json");
    await Deno.writeTextFile(file, JSON.stringify([makeItem(1)]));
    await copyMigrated(settings.DATA_DIR);
    const database = await openEmbedded(settings.DATA_DIR, { shares: true });
    assertEquals((await runHere(["import", file], settings)).code, 0);
    const run = (...words: string[]) => runHere(["webhooks", ...words], settings);
    const secret = "https://127.0.0.1/s3cret";
    const wrong: [words: string[], code: number, message: RegExp][] = [
      [["add", secret], 1, /^127\.0\.0\.1 is not a public address: WEBHOOK_ALLOW_PRIVATE=true all/],
      [["add", "s3cret"], 1, /^A webhook has an http or https address, such as/],
      [["add", "https://a:s3cret@example.com"], 1, /^The address of a webhook has no user and/],
      [["add"], 2, /^The URL is missing\. Usage: deno task webhooks/],
      [["add", secret, "s3cret"], 2, /^Too many words\. Usage: /],
      [
        ["add", secret, "--kind", "irc"],
        2,
        /^--kind takes standard, slack, teams, discord, mattermost, .*, not "irc"/,
      ],
      [
        ["add", secret, "--cadence", "hourly"],
        2,
        /^--cadence takes immediate, daily, weekly, not "hourly"\. Usage/,
      ],
      [["enable", "x", "--cadence", "daily"], 2, /^--cadence goes with add\. Usage/],
      [
        ["add", secret, "--name", "a\u0007"],
        2,
        /^--name takes 1 to 100 characters without control/,
      ],
      [
        ["add", secret, ...Array.from({ length: 11 }, (_, number) => ["--q", `${number}`]).flat()],
        2,
        /^--q must have at most 10 values/,
      ],
      [["add", secret, "--tag", "Web"], 2, /^--tag must have tags as Group:Value/],
      [
        ["add", secret, "--due", "late"],
        2,
        /^--due must be one of overdue, next7, next30, next90/,
      ],
      [
        ["add", secret, "--change-kind", "late"],
        2,
        /^--change-kind must be one of shipped, cancelled, /,
      ],
      [["add", secret, "--status", "x"], 2, /^Unknown option '--status'/],
      [["list", "--kind", "slack"], 2, /^--kind goes with add\. Usage/],
      [["list", "x"], 2, /^Unexpected "x"\. Usage/],
      [["remove"], 2, /^The NAME is missing\. Usage/],
      [["delete", "x"], 2, /^There is no "delete"\. Usage/],
      [["remove", "x"], 1, /^There is no webhook "x"; existing webhooks: none$/],
      [["enable", "x"], 1, /^There is no webhook "x"; /],
      [["test", "x"], 1, /^There is no webhook "x"; /],
      [["deliveries", "x"], 1, /^There is no webhook "x"; /],
    ];
    for (const [words, expected, message] of wrong) {
      const { code, out, err } = await run(...words);
      assertEquals([code, out], [expected, ""], words.join(" "));
      match(err, message);
      assert(!err.includes("s3cret"), err);
    }
    const open = { ...settings, WEBHOOK_ALLOW_PRIVATE: "true" };
    const twice = ["webhooks", "add", secret, "--name", "ops"];
    assertEquals((await runHere(twice, open)).code, 0);
    const { code, err } = await runHere(twice, open);
    assertEquals([code, err], [
      1,
      'There is already a webhook named "ops": choose another name',
    ]);
    // An address that was allowed when added is checked again when sending.
    const test = await run("test", "ops");
    assertEquals([test.code, test.err], [
      1,
      "The test failed. 127.0.0.1 is not a public address: WEBHOOK_ALLOW_PRIVATE=true allows it",
    ]);
    await database.close();
  }));

testOnOwnDatabases(
  "A server that gets SIGTERM returns a hanging delivery to the queue",
  (database) =>
    withFolder(async (folder) => {
      await using receiver = startReceiver(() => new Promise(() => {}));
      const settings = { ...database, WEBHOOK_ALLOW_PRIVATE: "true" };
      const file = join(folder, "roadmap.json");
      await using server = await startServer(settings);
      assertEquals((await runHere(["webhooks", "add", receiver.url], settings)).code, 0);
      await Deno.writeTextFile(file, JSON.stringify([makeItem(1)]));
      assertEquals((await runHere(["import", file, "--announce"], settings)).code, 0);
      await waitFor("the attempt", () => receiver.received.length === 1);
      server.kill("SIGTERM");
      assertEquals(await server.ended, 0, server.output());
      const { out } = await runHere(["webhooks", "deliveries"], settings);
      match(out, / waiting 127\.0\.0\.1, .*\n {2}The server stopped before it responded$/);
    }),
);

Deno.test("A TLS webhook arrives when Node's variables name a certificate and a proxy", () =>
  withFolder(async (folder) => {
    const certificate = await makeCertificate();
    const file = join(folder, "authority.pem");
    await Deno.writeTextFile(file, certificate.cert);
    await using receiver = startReceiver(undefined, certificate);
    await using proxy = startReceiver();
    const settings = {
      DATA_DIR: join(folder, "data"),
      WEBHOOK_ALLOW_PRIVATE: "true",
      DENO_CERT: file,
      NODE_EXTRA_CA_CERTS: "/nowhere.pem",
      NODE_USE_ENV_PROXY: "1",
      NODE_OPTIONS: "--use-env-proxy",
      DENO_NO_UPDATE_CHECK: "1",
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
    };
    await copyMigrated(settings.DATA_DIR);
    const webhooks = async (...words: string[]) => {
      const { code, out, err } = await runTask(["webhooks", ...words], settings);
      assertEquals([code, err], [0, ""]);
      return out;
    };
    await webhooks("add", receiver.url, "--name", "tls");
    await webhooks("add", "http://127.0.0.1:" + proxy.port + "/direct", "--name", "plain");
    assertEquals(await webhooks("test", "tls"), "The test succeeded. It answered 204 No Content");
    assertEquals(receiver.received.length, 1);
    await webhooks("test", "plain");
    assertEquals(proxy.received.map(({ path }) => path), ["/direct"]);
  }));
