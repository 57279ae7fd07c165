import { setTimeout as delay } from "node:timers/promises";
import { dirname, join, relative, resolve } from "node:path";

/** unix(7): the path of a socket takes 107 bytes on Linux, and 103 on macOS and the BSDs. */
const MAX_PATH_LENGTH = 103;

/** The name under which PostgreSQL's clients look for a socket in a folder. */
const SOCKET_NAME = ".s.PGSQL.5432";

/** A server that has just started listens within this time. */
const STARTING_MS = 10_000;

/** How the product's own clients reach the thread of an embedded database. */
export interface SocketAddress {
  readonly path: string;
  /** The user that they give: others do not know it, and are served as others. */
  readonly user: string;
}

/** The `application_name` of the product's requests and health checks, which go before its jobs. */
export const REQUESTS_NAME = "roadcast requests";

/** Where the thread of an embedded database can listen. */
export interface SocketPlace extends SocketAddress {
  /** Removes everything that belongs to it. */
  remove(): Promise<void>;
}

/**
 * Prepares the place of a socket in the folder of an embedded database, which only processes of the
 * same user can enter. Files left by a killed process are removed: the caller has locked the folder.
 * If the folder cannot hold a socket, because its path is too long or of its file system, the socket
 * is in a temporary folder, and a file names it. Another file names the user of our own clients.
 */
export async function prepareSocket(
  dataDir: string,
  { isShared }: { isShared: boolean },
): Promise<SocketPlace> {
  const clearAll = async () => {
    await clear(dataDir, { isShared: true });
    await clear(dataDir, { isShared: false });
  };
  await clearAll();
  const folder = socketFolderOf(dataDir, { isShared });
  await Deno.mkdir(folder, { recursive: true });
  await Deno.chmod(folder, 0o700); // before anything is in it
  let path = socketOf(dataDir, { isShared });
  if (isTooLong(path) || !canListen(path)) {
    path = join(await Deno.makeTempDir({ prefix: "roadcast-" }), SOCKET_NAME);
    await Deno.writeTextFile(join(folder, "path"), path);
  }
  const user = makeUser();
  await Deno.writeTextFile(join(folder, "user"), user);
  return { path, user, remove: clearAll };
}

/** A place for the socket of a database in memory. */
export async function prepareTemporarySocket(): Promise<SocketPlace> {
  const folder = await Deno.makeTempDir({ prefix: "roadcast-" });
  const path = join(folder, SOCKET_NAME);
  return { path, user: makeUser(), remove: () => removeQuietly(path, folder) };
}

function makeUser(): string {
  return `roadcast ${crypto.randomUUID()}`;
}

/**
 * The socket of the server that has the embedded database of a folder open; null: it is no server
 * that has it open.
 */
export async function findServer(dataDir: string): Promise<SocketAddress | null> {
  for (let waited = 0; waited < STARTING_MS; waited += 50) {
    const path = await readNote(dataDir, "path") ?? socketOf(dataDir);
    if (await answers(path)) return { path, user: await readNote(dataDir, "user") ?? "roadcast" };
    const isStarting = await Deno.stat(socketFolderOf(dataDir)).then(() => true, () => false);
    if (!isStarting) return null;
    await delay(50);
  }
  return null;
}

async function answers(path: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return true;
  } catch (error) {
    const { NotFound, ConnectionRefused } = Deno.errors;
    const isAbsent = error instanceof NotFound || error instanceof ConnectionRefused;
    if (isAbsent || isTooLong(path)) return false;
    throw error;
  }
}

/** Some file systems hold no sockets, such as folders that are shared with a virtual machine. */
function canListen(path: string): boolean {
  try {
    Deno.listen({ transport: "unix", path }).close(); // which removes it again
    return true;
  } catch {
    return false;
  }
}

/** Removes a socket and its files, and nothing else in the folder. */
async function clear(dataDir: string, sharing: { isShared: boolean }): Promise<void> {
  const folder = socketFolderOf(dataDir, sharing);
  const elsewhere = await readNote(dataDir, "path", sharing);
  if (elsewhere !== null && /\/roadcast-[^/]+\/[^/]+$/.test(elsewhere)) {
    await removeQuietly(elsewhere, dirname(elsewhere));
  }
  await removeQuietly(
    ...[SOCKET_NAME, "path", "user"].map((name) => join(folder, name)),
    folder,
  );
}

/** Folders only if they are empty. */
async function removeQuietly(...paths: string[]): Promise<void> {
  for (const path of paths) await Deno.remove(path).catch(() => {});
}

async function readNote(
  dataDir: string,
  name: "path" | "user",
  sharing: { isShared?: boolean } = {},
): Promise<string | null> {
  return await Deno.readTextFile(join(socketFolderOf(dataDir, sharing), name)).catch(() => null);
}

/** The folder of the socket of a server, which other processes may use, or of a single command. */
function socketFolderOf(dataDir: string, { isShared = true } = {}): string {
  return join(dataDir, isShared ? "server" : "single");
}

/** The shortest path of an embedded database's socket, unless that is too long. */
function socketOf(dataDir: string, sharing: { isShared?: boolean } = {}): string {
  const path = join(socketFolderOf(dataDir, sharing), SOCKET_NAME);
  const [fromRoot, fromHere] = [resolve(path), relative(Deno.cwd(), path)];
  return fromHere.length < fromRoot.length ? fromHere : fromRoot;
}

/** Whether the path of a socket is too long for the system. */
function isTooLong(path: string): boolean {
  return new TextEncoder().encode(path).length > MAX_PATH_LENGTH;
}
