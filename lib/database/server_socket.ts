import { dirname, join, relative, resolve } from "node:path";
import { Frames } from "./frames.ts";

/** unix(7): the path of a socket takes 107 bytes on Linux, and 103 on macOS and the BSDs. */
const LONGEST_PATH = 103;

/** Where a server can be found by the commands that work beside it. */
export interface ServerSocket {
  readonly connections: AsyncIterable<Deno.UnixConn>;
  /** Takes no more connections; nothing is left in the folder. */
  close(): Promise<void>;
}

/**
 * Listens in the folder of an embedded database, where only processes of the same user find the
 * way. What a server that was killed has left there is removed: the caller has the folder locked.
 */
export async function listenInFolder(dataDir: string): Promise<ServerSocket> {
  await clear(dataDir);
  const folder = folderOf(dataDir);
  await Deno.mkdir(folder, { mode: 0o700 });
  let path = socketOf(dataDir);
  if (isTooLong(path)) {
    path = join(await Deno.makeTempDir({ prefix: "roadcast-" }), "socket");
    await Deno.writeTextFile(join(folder, "path"), path);
  }
  const connections = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o600);
  return {
    connections,
    async close() {
      connections.close();
      await clear(dataDir);
    },
  };
}

/** Connects to the server that has the embedded database of a folder open; null: none listens. */
export async function connectToFolder(dataDir: string): Promise<Frames | null> {
  const path = await readPath(dataDir) ?? socketOf(dataDir);
  try {
    return new Frames(await Deno.connect({ transport: "unix", path }));
  } catch (error) {
    if (isAbsent(error) || isTooLong(path)) return null;
    throw error;
  }
}

/** Removes the socket and what belongs to it. */
async function clear(dataDir: string): Promise<void> {
  const elsewhere = await readPath(dataDir);
  const folders = [...elsewhere === null ? [] : [dirname(elsewhere)], folderOf(dataDir)];
  for (const folder of folders) {
    await Deno.remove(folder, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** Where the socket of an embedded database is, unless that is too long. */
export function socketOf(dataDir: string): string {
  return shorten(join(folderOf(dataDir), "socket"));
}

/** Nothing but the socket is in it, or, where its path would be too long, the path of another. */
function folderOf(dataDir: string): string {
  return join(dataDir, "server");
}

async function readPath(dataDir: string): Promise<string | null> {
  return await Deno.readTextFile(join(folderOf(dataDir), "path")).catch(() => null);
}

/** The shortest way to a path: from here, or from the root. */
function shorten(path: string): string {
  const [fromRoot, fromHere] = [resolve(path), relative(Deno.cwd(), path)];
  return fromHere.length < fromRoot.length ? fromHere : fromRoot;
}

/**
 * Tells whether the path of a socket is longer than systems take.
 *
 * ```ts
 * if (!isTooLong("/data/".repeat(20))) throw new Error();
 * if (isTooLong("/var/lib/roadcast/server/socket")) throw new Error();
 * ```
 */
export function isTooLong(path: string): boolean {
  return new TextEncoder().encode(path).length > LONGEST_PATH;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused;
}
