import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "../../../lib/database/database.ts";
import { startApp } from "../app.ts";
import { copyStarted, openMigratedEmbedded, withEmbedded } from "../databases.ts";
import { startServerByTask } from "../server.ts";

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

/** What the states of examples are made with. */
export type Place = ReturnType<typeof makePlace>;

/** Prepares a copy of the project and a folder for states of examples. */
export function makePlace({ project, folder, stack }: Surroundings) {
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
    await withEmbedded(dataDir, work);
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
    await copyStarted(settings.DATA_DIR);
    const server = stack.use(await startServerByTask(settings, project));
    return { server, settings, replaced: { "localhost:8000": `127.0.0.1:${server.port}` } };
  });

  return { folder, stack, pathOf, write, prepare, listen, freshServer };
}

/** Does something once, and returns what came of it each time. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => made ??= make();
}
