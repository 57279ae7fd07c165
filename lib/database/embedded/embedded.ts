import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { type Database, DatabaseAway } from "../database.ts";
import { OWN_OPTIONS } from "../postgres/postgres.ts";
import type { PostgresOptions } from "../postgres/postgres_client.ts";
import { databaseOn } from "../postgres/postgres_connections.ts";
import { createCluster } from "./create_cluster.ts";
import { explainFailure, folderError, requireVersionFile } from "./embedded_failures.ts";
import { EmbeddedServer } from "./embedded_server.ts";
import { DatabaseInUse, takeFolder } from "./folder_lock.ts";
import {
  findServer,
  prepareSocket,
  prepareTemporarySocket,
  REQUESTS_NAME,
  type SocketAddress,
  type SocketPlace,
} from "./socket_place.ts";

/** The first statements are the most frequent ones; the plans of all would fill the memory. */
const MAX_PREPARED = 100;
/** A server that starts answers when its database is open. */
const CONNECT_SECONDS = 60;
/** How much later than its connections close a thread says why it has ended. */
const MAX_SAYING_MS = 500;

/**
 * Opens the embedded PostgreSQL in a folder, which is created if it is missing; one process at a
 * time. With `shares`, other processes of the same user can use it through a socket.
 */
export async function openEmbedded(
  folder: string,
  { shares = false }: { shares?: boolean } = {},
): Promise<Database> {
  const lock = await takeFolder(folder);
  let socket: SocketPlace | null = null;
  try {
    // From here on other processes wait for the database instead of failing because it is in use.
    socket = await prepareSocket(folder, { isShared: shares });
    const cluster = join(folder, "postgres");
    if (await holdsEmbedded(folder)) await requireVersionFile(folder);
    else await createCluster(cluster);
    const server = await EmbeddedServer.open({ folder: cluster, ...addressOf(socket) });
    return databaseOf(server, { socket, lock });
  } catch (cause) {
    await socket?.remove();
    lock.close();
    throw await explainFailure(folder, cause);
  }
}

/**
 * Opens the embedded database of a folder, through the server if one has it open.
 *
 * @throws {DatabaseInUse} if another process that is not a server has it open
 */
export async function openEmbeddedOrShared(folder: string): Promise<Database> {
  try {
    return await openEmbedded(folder);
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) throw error;
    const address = await findServer(folder);
    if (address === null) throw error;
    const away = (cause: unknown) =>
      new DatabaseAway(
        `The server that had the database in ${folder} open stopped or closed this connection`,
        { cause },
      );
    return connect(address, away);
  }
}

/** Opens an earlier dump in memory only. */
export async function openInMemory(image: Blob): Promise<Database> {
  const socket = await prepareTemporarySocket();
  try {
    const server = await EmbeddedServer.open({ ...addressOf(socket), image: await image.bytes() });
    return databaseOf(server, { socket });
  } catch (error) {
    await socket.remove();
    throw error;
  }
}

/**
 * Creates the embedded database of a folder from a dump, or fills an empty one; the folder must not
 * have one yet. It has a temporary name until it is complete, so no process opens a partial one.
 */
export async function restoreEmbedded(
  folder: string,
  from: { image: Blob } | { fill: (database: Database) => Promise<void> },
): Promise<void> {
  const lock = await takeFolder(folder);
  const unfinished = join(folder, "postgres.restoring");
  const socket = await prepareTemporarySocket();
  try {
    await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    const image = "image" in from ? await from.image.bytes() : undefined;
    if (!image) await createCluster(unfinished);
    const options = { ...addressOf(socket), folder: unfinished, image };
    const database = databaseOf(await EmbeddedServer.open(options), { socket });
    try {
      if ("fill" in from) await from.fill(database);
    } finally {
      await database.close();
    }
    await Deno.rename(unfinished, join(folder, "postgres"));
  } catch (error) {
    await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    throw error;
  } finally {
    await socket.remove();
    lock.close();
  }
}

/**
 * Whether a folder holds an embedded database.
 *
 * @throws {DataFolderError} if the folder cannot be read
 */
export async function holdsEmbedded(folder: string): Promise<boolean> {
  try {
    await Deno.stat(join(folder, "postgres"));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw folderError(folder, error);
  }
}

function addressOf({ path, user }: SocketPlace): SocketAddress {
  return { path, user };
}

/** Why a thread has ended: a connection may close before it has said so. */
async function learnEnd(server: EmbeddedServer): Promise<DatabaseAway | null> {
  for (let waited = 0; server.end === null && waited < MAX_SAYING_MS; waited += 10) {
    await delay(10);
  }
  return server.end;
}

/** The database of a thread of this process, which is started again if it has crashed. */
function databaseOf(
  server: EmbeddedServer,
  { socket, lock }: { socket: SocketPlace; lock?: Deno.FsFile },
): Database {
  const database = connect(
    socket,
    (cause) => server.end ?? new DatabaseAway("The embedded database has ended", { cause }),
  );
  // It is not polled, so what is imported at once would go unnoticed.
  server.onRevived = () => database.listenAgain();
  const revived =
    <Words extends unknown[], Result>(ask: (...words: Words) => Promise<Result>) =>
    async (...words: Words): Promise<Result> => {
      if (server.end !== null) await server.revive();
      try {
        return await ask(...words);
      } catch (error) {
        if (!(error instanceof DatabaseAway)) throw error;
        throw await learnEnd(server) ?? error;
      }
    };
  return {
    ...database,
    query: revived(database.query) as Database["query"],
    script: revived(database.script),
    transaction: revived(database.transaction) as Database["transaction"],
    async inspect(read) {
      if (server.end === null) return await database.inspect(read);
      void server.revive().catch(() => {}); // which may take longer than this answer
      throw server.end;
    },
    async close() {
      await database.close();
      await server.close();
      await socket.remove();
      lock?.close();
    },
  };
}

/**
 * Connects to the socket of an embedded database. It has one session, so more connections would only
 * wait for each other.
 */
function connect(
  { path, user }: SocketAddress,
  away: (cause: unknown) => DatabaseAway,
): ReturnType<typeof databaseOn> {
  const texts = new Set<string>();
  const options: PostgresOptions = { ...OWN_OPTIONS, connect_timeout: CONNECT_SECONDS };
  const first = {
    ...options,
    connection: { ...options.connection, application_name: REQUESTS_NAME },
  };
  return databaseOn({
    kind: "embedded",
    client: (added) =>
      postgres({ ...options, ...added, path, host: "", port: 5432, ssl: false, username: user }),
    options: { forRequests: first, forJobs: options, forOthers: first },
    connections: { requests: 1, jobs: 1 },
    prepares: (text) => texts.has(text) || texts.size < MAX_PREPARED && Boolean(texts.add(text)),
    away,
  });
}
