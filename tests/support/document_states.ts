import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "../../lib/database/database.ts";
import { openEmbedded } from "../../lib/database/embedded.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { importItems, startApp, TODAY } from "./app.ts";
import { copyMigrated, openMigratedEmbedded } from "./databases.ts";
import {
  changeUntold,
  forgetMigration,
  importInTurn,
  importTwo,
  makeFabric,
  makeItems,
  makeTable,
  setAnnAside,
  syncOnce,
} from "./document_data.ts";
import { startEmbeddingServer } from "./embedding_server.ts";
import { startMailServer } from "./mail_server.ts";
import { settingsFor } from "./semantic.ts";
import { startServerByTask } from "./server.ts";
import { serveSource } from "./source_server.ts";
import { subscribe } from "./subscribing.ts";
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
  /** A folder for databases and backups. */
  readonly folder: string;
  readonly stack: AsyncDisposableStack;
}

const ADMIN_TOKEN = "an-admin-token-of-31-characters";

/** The states that the examples of the documents start from; each is made once. */
export function makeStates({ project, folder, stack }: Surroundings) {
  const pathOf = (name: string) => fileURLToPath(new URL(name, project));
  const write = (name: string, content: unknown) =>
    Deno.writeTextFile(
      pathOf(name),
      typeof content === "string" ? content : JSON.stringify(content),
    );

  /** Makes an embedded database, for commands to open. */
  async function prepare(
    name: string,
    work: (database: Database) => Promise<unknown>,
  ): Promise<{ DATA_DIR: string }> {
    const dataDir = join(folder, name);
    await copyMigrated(dataDir);
    const database = await openEmbedded(dataDir);
    await work(database).finally(() => database.close());
    return { DATA_DIR: dataDir };
  }

  /** Serves an embedded database of its own as https://roadmap.example.com. */
  async function listen(settings: Record<string, string>) {
    const database = await openMigratedEmbedded();
    stack.defer(() => database.close());
    const app = stack.use(await startApp(database, settings));
    const { port } = stack.use(app.listen());
    const replaced = { "https://roadmap.example.com": `http://127.0.0.1:${port}` };
    return { database, app, replaced };
  }

  /** A server that was just started, with the sample. */
  const freshServer = once(async () => {
    const settings = { DATA_DIR: join(folder, "fresh") };
    const server = stack.use(await startServerByTask(settings, project));
    return { server, settings, replaced: { "localhost:8000": `127.0.0.1:${server.port}` } };
  });

  return {
    freshServer,

    /** The fresh server, once it has written a mail to its log. */
    loggedMail: once(async () => {
      const state = await freshServer();
      await waitFor("the mail", () => state.server.output().includes("To: ann@example.com"));
      return state;
    }),

    /** A file, and no item yet. */
    empty: once(async () => {
      await write("my-roadmap.json", makeItems(346));
      return { settings: await prepare("empty", async () => {}) };
    }),

    /** No island is built; a running server has read them. */
    unbuilt: once(async () => {
      await freshServer();
      await Deno.remove(pathOf("dist"), { recursive: true });
      return { settings: {} };
    }),

    /** Two items, an embedding service, and a mailbox that has refused. */
    twoItems: once(async () => {
      const settings = await prepare("two", async (database) => {
        await importTwo(database);
        await setAnnAside(database);
      });
      await Deno.mkdir(join(folder, "backups"));
      return {
        settings: settingsFor(stack.use(startEmbeddingServer()), settings),
        replaced: { "/backups/": `${folder}/backups/` },
      };
    }),

    /** Changes that a verified subscriber was not told of yet, and a mail server. */
    untoldChanges: once(async () => {
      const mail = stack.use(await startMailServer());
      return {
        mail,
        settings: {
          ...await prepare("changes", changeUntold),
          SMTP_URL: mail.url,
          MAIL_FROM: "roadmap@example.com",
          WEBHOOK_ALLOW_PRIVATE: "true",
        },
        replaced: { "https://example.com": "http://127.0.0.1:9" },
      };
    }),

    /** A source that has just gone away. */
    failedImport: once(async () => {
      let served: unknown = null;
      const source = stack.use(
        serveSource(() => served ? Response.json(served) : new Response(null, { status: 404 })),
      );
      const from = {
        address: `${source.url}/items.json`,
        serve: (snapshot: unknown) => served = snapshot,
      };
      const settings = await prepare(
        "failed",
        (database) => importInTurn(database, from, [makeItems(59), makeItems(60), null]),
      );
      return { settings, replaced: { "https://example.com": source.url } };
    }),

    /** A service without items that takes snapshots. */
    takingServer: once(async () => {
      const { app, replaced } = await listen({ ADMIN_TOKEN });
      app.setClock("2026-11-20T12:00:00Z");
      await write("roadmap.csv", makeTable(2));
      return { settings: { ADMIN_TOKEN }, replaced };
    }),

    /** A service with a source that is due, and three mails that wait. */
    dueWork: once(async () => {
      const source = stack.use(serveSource(() => Response.json(makeItems(1))));
      const mail = stack.use(await startMailServer());
      const { app, replaced } = await listen({
        ADMIN_TOKEN,
        ROADMAP_SOURCE: source.url,
        SMTP_URL: mail.url,
        MAIL_FROM: "roadmap@example.com",
      });
      for (const name of ["ann", "bob", "cid"]) {
        await subscribe(app, { email: `${name}@example.com` });
      }
      return { settings: { ADMIN_TOKEN }, replaced };
    }),

    /** A database that is not up to date, and a mail server that refuses the password. */
    unwell: once(async () => {
      await freshServer(); // its start builds the islands
      const source = stack.use(serveSource(() => Response.json(makeItems(1))));
      const mail = stack.use(
        await startMailServer({
          onAuth: (_auth, _session, done) => done(new Error("authentication failed")),
        }),
      );
      const from = [`${source.url}/ours.json`, `${source.url}/theirs.json`];
      await write("two.json", { sources: from.map((from, index) => ({ name: `${index}`, from })) });
      return {
        settings: {
          ...await prepare("unwell", forgetMigration),
          BASE_URL: "https://roadmap.example.com",
          SMTP_URL: `smtp://roadmap:wrong@127.0.0.1:${mail.port}`,
          MAIL_FROM: "roadmap@example.com",
          ROADMAP_CONFIG: "two.json",
        },
        replaced: {
          "/var/lib/roadcast": join(folder, "unwell"),
          "smtp.example.com:587": `127.0.0.1:${mail.port}`,
          "example.com": new URL(source.url).host,
        },
      };
    }),

    /** A database that a version with fewer migrations made. */
    olderDatabase: once(async () => ({
      settings: await prepare("older", forgetMigration),
    })),

    /** A roadmap in a file, which another server has already. */
    otherServer: once(async () => {
      const { database, replaced } = await listen({});
      await importItems(database, makeItems(400));
      await write("roadmap.json", makeItems(400));
      return { settings: await prepare("copied", async () => {}), replaced };
    }),

    /** A file with two mistakes, for ROADMAP_CONFIG. */
    wrongSources: once(async () => {
      const fields = { release_date: { from: "Due", format: "D/Q" } };
      await write("sources.json", {
        sources: [
          { name: "Fabric", from: "https://example.com/fabric.json", every_minutes: 0 },
          { name: "Ours", from: "roadmap.csv", fields },
        ],
      });
      return { settings: { DATA_DIR: join(folder, "wrong") } };
    }),

    /** A source on a schedule, and one that was taken out of the file. */
    twoSources: once(async () => {
      const source = stack.use(serveSource(() => Response.json(makeFabric(346))));
      const fabric = { name: "Fabric", from: `${source.url}/fabric.json`, kind: "fabric" } as const;
      await write("config.json", { sources: [fabric] });
      await write("old.json", makeItems(400, 347));
      const settings = await prepare("sources", async (database) => {
        await syncOnce(database, fabric);
        await importLocation(database, pathOf("old.json"), { asOf: TODAY, sourceName: "Old" });
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
