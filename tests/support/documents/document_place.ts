import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "../../../lib/database/database.ts";
import { startApp } from "../app.ts";
import { copyStarted, openMigratedEmbedded, withEmbedded } from "../databases.ts";
import { startServerByTask } from "../server.ts";

/** The state for a shown command: settings, and replacements for its addresses. */
export interface State {
  readonly settings: Record<string, string>;
  /** Texts of a command, and their replacements when it runs. */
  readonly replaced?: Record<string, string>;
}

/** Where commands run, and the resources to dispose of after them. */
export interface Surroundings {
  /** A copy of the project, in which the commands run. */
  readonly project: URL;
  /** A folder for databases and backups. */
  readonly folder: string;
  readonly stack: AsyncDisposableStack;
}

/** Helpers to create the states of examples. */
export type Place = ReturnType<typeof makePlace>;

/** Prepares a copy of the project and a folder for states of examples. */
export function makePlace({ project, folder, stack }: Surroundings) {
  const pathOf = (name: string) => fileURLToPath(new URL(name, project));
  const write = (name: string, content: unknown) =>
    Deno.writeTextFile(
      pathOf(name),
      typeof content === "string" ? content : JSON.stringify(content),
    );

  /** Creates an embedded database for commands to open. */
  async function prepare(
    name: string,
    work: (database: Database) => Promise<unknown>,
  ): Promise<{ DATA_DIR: string }> {
    const dataDir = join(folder, name);
    await withEmbedded(dataDir, work);
    return { DATA_DIR: dataDir };
  }

  /** Serves a separate embedded database as https://roadmap.example.com. */
  async function listen(settings: Record<string, string>) {
    const database = await openMigratedEmbedded();
    stack.defer(() => database.close());
    const app = stack.use(await startApp(database, settings));
    const { port } = stack.use(app.listen());
    const replaced = { "https://roadmap.example.com": `http://127.0.0.1:${port}` };
    return { database, app, replaced };
  }

  /** A freshly started server with the sample. */
  const freshServer = once(async () => {
    const settings = { DATA_DIR: join(folder, "fresh") };
    await copyStarted(settings.DATA_DIR);
    const server = stack.use(await startServerByTask(settings, project));
    return { server, settings, replaced: { "localhost:8000": `127.0.0.1:${server.port}` } };
  });

  return { folder, stack, pathOf, write, prepare, listen, freshServer };
}

/** Does something once, and returns its result every time. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => made ??= make();
}
