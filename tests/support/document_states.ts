import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../lib/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { openEmbedded } from "../../lib/database/embedded.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { startSync } from "../../lib/import/sync.ts";
import { importItems, makeItem, startApp } from "./app.ts";
import { openMigratedEmbedded } from "./databases.ts";
import { startEmbeddingServer } from "./embedding_server.ts";
import { linkOf, type MailServer, startMailServer } from "./mail_server.ts";
import { settingsFor } from "./semantic.ts";
import { startServerByTask } from "./server.ts";
import { serveSource } from "./source_server.ts";
import { startWithMail, subscribe } from "./subscribing.ts";
import { waitFor } from "./wait_for.ts";

/** What a shown command finds: settings, and what stands in the place of its addresses. */
export interface State {
  readonly settings: Record<string, string>;
  /** Texts of a command, and what they are replaced with where it runs. */
  readonly replaced?: Record<string, string>;
}

/** Where commands run, and what ends with them. */
export interface Surroundings {
  /** A copy of the project, in which the commands run. */
  readonly project: URL;
  /** An empty folder for databases. */
  readonly folder: string;
  readonly stack: AsyncDisposableStack;
}

const ANN = "ann@example.com";
const ADMIN_TOKEN = "an-admin-token-of-31-characters";
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => makeItem(from + index + 1));

/** The states that the examples of the documents start from; each is made once. */
export function makeStates({ project, folder, stack }: Surroundings) {
  const pathOf = (name: string) => fileURLToPath(new URL(name, project));
  const write = (name: string, content: unknown) =>
    Deno.writeTextFile(pathOf(name), JSON.stringify(content));

  /** Makes an embedded database, for commands to open. */
  async function prepare(
    name: string,
    work: (database: Database) => Promise<unknown> = async () => {},
  ): Promise<Record<string, string>> {
    const dataDir = join(folder, name);
    const database = await openEmbedded(dataDir);
    try {
      await migrate(database, await readMigrations());
      await work(database);
    } finally {
      await database.close();
    }
    return { DATA_DIR: dataDir };
  }

  /** A server that was just started, with the sample. */
  const freshServer = once(async () => {
    const settings = { DATA_DIR: join(folder, "fresh") };
    const server = stack.use(await startServerByTask(settings, project));
    return { server, settings, replaced: { "localhost:8000": `127.0.0.1:${server.port}` } };
  });

  /** Two items, one with a synonym of "vehicle"; an embedding service, and a mailbox that refuses. */
  const twoItems = once(async () => {
    const [rent, theme] = ["Rent an automobile", "Night theme"];
    const settings = await prepare("two", async (database) => {
      await importItems(database, [
        makeItem(1, { feature_name: rent, feature_description: null }),
        makeItem(2, { feature_name: theme, feature_description: null }),
      ]);
      await using app = await startApp(database);
      await subscribe(app, { email: ANN });
      await database.query(sql`update subscriptions set state = 'verified', verified_at = now()`);
      await database.query(sql`
        update subscriptions set state = 'bounced', refused_at = now(),
          refusal_reason = 'Can''t send mail - all recipients were rejected: 550 No such user'
      `);
    });
    const service = stack.use(startEmbeddingServer());
    await Deno.mkdir(join(folder, "backups"));
    return {
      settings: settingsFor(service, settings),
      replaced: { "/backups/": `${folder}/backups/` },
    };
  });

  /** Two changes, and a verified subscriber who was not told of them yet. */
  const untoldChanges = once(async () => {
    const theme = {
      release_item_id: "6f1a1a3e-52c1-4d8f-9c55-0a1b2c3d4e5f",
      feature_name: "Dark theme for reports",
      product_name: "Reports",
      product_id: null,
      last_modified: null,
    };
    const text = "Sign in with the fingerprint or the face that unlocks your device, which replaces " +
      "the password. It is ";
    const passkeys = {
      ...theme,
      release_item_id: "0c6ad9c1-5f0e-4f0b-8a3b-8f4f7d2f6a10",
      feature_name: "Sign-in with passkeys",
      product_name: "Explorer",
      release_type: "Public preview",
      feature_description: `${text}on by default.`,
    };
    const rewritten = { ...passkeys, feature_description: `${text}off by default.` };
    const later = { ...theme, release_date: "Q4 2026" };
    const settings = await prepare("changes", async (database) => {
      const take = (...items: Record<string, unknown>[]) => (asOf: string) =>
        importItems(database, items.map((item) => makeItem(1, item)), { asOf });
      await take(theme, passkeys)("2026-11-01");
      await using services = await startWithMail(database);
      await subscribe(services.app, { email: ANN });
      await services.app.sendMails();
      await services.app.fetch(linkOf(services.mail.received[0]!, "/verify-email"));
      await take(theme, rewritten)("2026-11-18");
      await take(later, rewritten)("2026-11-20");
    });
    const mail: MailServer = stack.use(await startMailServer());
    return {
      mail,
      settings: {
        ...settings,
        SMTP_URL: mail.url,
        MAIL_FROM: "roadmap@example.com",
        WEBHOOK_ALLOW_PRIVATE: "true",
      },
      replaced: { "https://example.com": "http://127.0.0.1:9" },
    };
  });

  return {
    freshServer,
    twoItems,
    untoldChanges,

    /** The fresh server, once it has written a mail to its log. */
    loggedMail: once(async () => {
      const state = await freshServer();
      await waitFor("the mail", () => state.server.output().includes(`To: ${ANN}`));
      return state;
    }),

    /** Nothing is imported yet, and no island built. */
    empty: once(async () => {
      await write("my-roadmap.json", many(346));
      await Deno.remove(pathOf("dist"), { recursive: true }).catch(() => {});
      return { settings: { DATA_DIR: join(folder, "empty") } };
    }),

    /** A source that has just gone away. */
    failedImport: once(async () => {
      let items: Record<string, unknown>[] | null = many(59);
      const source = stack.use(serveSource(() =>
        items ? Response.json(items) : new Response(null, { status: 404 })
      ));
      const address = `${source.url}/items.json`;
      const settings = await prepare("failed", async (database) => {
        for (items of [many(59), many(60), null]) {
          await importLocation(database, address, { asOf: "2026-11-21" }).catch(() => {});
        }
      });
      return { settings, replaced: { "https://example.com": source.url } };
    }),

    /** A service without items that takes snapshots. */
    takingServer: once(async () => {
      const database = await openMigratedEmbedded();
      stack.defer(() => database.close());
      const app = stack.use(await startApp(database, { ADMIN_TOKEN }));
      app.setClock("2026-11-20T12:00:00Z");
      const { port } = stack.use(app.listen());
      const columns = "release_item_id,feature_name,release_type,release_status,product_name";
      const rows = many(2).map((item) => columns.split(",").map((name) => item[name]).join(","));
      await Deno.writeTextFile(pathOf("roadmap.csv"), [columns, ...rows].join("\n"));
      return {
        settings: { ADMIN_TOKEN },
        replaced: { "https://roadmap.example.com": `http://127.0.0.1:${port}` },
      };
    }),

    /** A database that a version with fewer migrations made. */
    olderDatabase: once(async () => ({
      settings: await prepare("older", (database) =>
        database.script("delete from migrations where name = (select max(name) from migrations)")),
    })),

    /** A roadmap in a file, which a server has already. */
    otherServer: once(async () => {
      const database = await openMigratedEmbedded();
      stack.defer(() => database.close());
      await importItems(database, many(400));
      const app = stack.use(await startApp(database));
      const { port } = stack.use(app.listen());
      await write("roadmap.json", many(400));
      return {
        settings: { DATA_DIR: join(folder, "copied") },
        replaced: { "https://roadmap.example.com": `http://127.0.0.1:${port}` },
      };
    }),

    /** A file with two mistakes, for ROADMAP_CONFIG. */
    wrongSources: once(async () => {
      await write("sources.json", {
        sources: [
          { name: "Fabric", from: "https://example.com/fabric.json", every_minutes: 0 },
          { name: "Ours", from: "a.csv", fields: { release_date: { from: "Due", format: "D/Q" } } },
        ],
      });
      return { settings: { DATA_DIR: join(folder, "wrong") } };
    }),

    /** A source on a schedule, and one that was taken out of the file. */
    twoSources: once(async () => {
      const results = many(346).map(({ release_item_id, feature_name }) => ({
        ReleaseItemID: release_item_id,
        FeatureName: feature_name,
        ReleaseType: "Public preview",
        ReleaseStatus: "Planned",
        ProductName: "Product",
      }));
      const source = stack.use(serveSource(() => Response.json({ results })));
      const from = `${source.url}/fabric.json`;
      await write("config.json", { sources: [{ name: "Fabric", from, kind: "fabric" }] });
      await write("old.json", many(400, 346));
      const settings = await prepare("sources", async (database) => {
        await importLocation(database, pathOf("old.json"), {
          asOf: "2026-11-20",
          sourceName: "Old",
        });
        const sync = startSync(
          database,
          { name: "Fabric", from, kind: "fabric", everyMinutes: 60 },
          { ...readConfig({}), clock: () => new Date("2026-11-21T12:00:00Z") },
        );
        await sync.firstTry;
        await sync.stop();
      });
      return {
        settings: { ...settings, ROADMAP_CONFIG: "config.json" },
        replaced: { "https://example.com": source.url, "old.json": pathOf("old.json") },
      };
    }),
  };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => made ??= make();
}
