import { join } from "node:path";
import { importLocation } from "../../../lib/import/import_snapshot.ts";
import { TODAY } from "../app.ts";
import {
  changeQuietly,
  forgetMigration,
  importInTurn,
  importTwo,
  makeFabric,
  makeItems,
  setAnnAside,
  syncOnce,
} from "./document_data.ts";
import { once, type Place } from "./document_place.ts";
import { startEmbeddingServer } from "../servers/embedding_server.ts";
import { startMailServer } from "../servers/mail_server.ts";
import { settingsFor } from "../subjects/semantic.ts";
import { serveSource } from "../servers/source_server.ts";

/** The states of examples in which commands open an embedded database. */
export function makeDatabaseStates({ folder, stack, pathOf, write, prepare, freshServer }: Place) {
  return {
    /** A file, and no items yet. */
    empty: once(async () => {
      await write("my-roadmap.json", makeItems(346));
      return { settings: await prepare("empty", async () => {}) };
    }),

    /** Two items, an embedding service, and a mailbox that has bounced. */
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

    /** Changes not yet sent to a verified subscriber, and a mail server. */
    unreadChanges: once(async () => {
      const mail = stack.use(await startMailServer());
      return {
        mail,
        settings: {
          ...await prepare("changes", changeQuietly),
          SMTP_URL: mail.url,
          MAIL_FROM: "roadmap@example.com",
          WEBHOOK_ALLOW_PRIVATE: "true",
        },
        replaced: { "https://example.com": "http://127.0.0.1:9" },
      };
    }),

    /** A source that has just disappeared. */
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

    /** A database that is not up to date, and a mail server that refuses the password. */
    unwell: once(async () => {
      await freshServer(); // its start builds the scripts
      const source = stack.use(serveSource(() => Response.json(makeItems(1))));
      const mail = stack.use(
        await startMailServer({
          onAuth: (_auth, _session, done) => done(new Error("authentication failed")),
        }),
      );
      const from = [`${source.url}/ours.json`, `${source.url}/theirs.json`];
      const sources = ["Ours", "Theirs"].map((name, at) => ({ name, from: from[at] }));
      await write("two.json", { sources });
      return {
        settings: {
          ...await prepare("unwell", forgetMigration),
          BASE_URL: "https://roadmap.example.com",
          SMTP_URL: `smtp://roadmap:wrong@127.0.0.1:${mail.port}`,
          MAIL_FROM: "roadmap@example.com",
          ROADMAP_CONFIG: "two.json",
          PORT: "0",
        },
        replaced: {
          "0.0.0.0:8000": "0.0.0.0:0",
          "/var/lib/roadcast": join(folder, "unwell"),
          "smtp.example.com:587": `127.0.0.1:${mail.port}`,
          "example.com": new URL(source.url).host,
        },
      };
    }),

    /** A database created by a version with fewer migrations. */
    olderDatabase: once(async () => ({
      settings: await prepare("older", forgetMigration),
    })),

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

    /** A source on a schedule, and one that was removed from the file. */
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
