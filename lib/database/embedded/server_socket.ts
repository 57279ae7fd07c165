import { dirname, join } from "node:path";
import { isTooLong, socketFolderOf, socketOf } from "./socket_path.ts";
import { Frames } from "./frames.ts";

/** The socket through which commands reach a running server. */
export interface ServerSocket {
  readonly connections: AsyncIterable<Deno.UnixConn>;
  /** Accepts no more connections, and removes everything from the folder. */
  close(): Promise<void>;
}

/**
 * Listens in the folder of an embedded database, which only processes of the same user can enter.
 * Files left by a killed server are removed: the caller has locked the folder.
 */
export async function listenInFolder(dataDir: string): Promise<ServerSocket> {
  await clear(dataDir);
  const folder = socketFolderOf(dataDir);
  await Deno.mkdir(folder, { recursive: true });
  await Deno.chmod(folder, 0o700); // before anything is in it
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

/** Removes the socket and its files, and nothing else in the folder. */
async function clear(dataDir: string): Promise<void> {
  const folder = socketFolderOf(dataDir);
  const elsewhere = await readPath(dataDir);
  if (elsewhere !== null && /\/roadcast-[^/]+\/socket$/.test(elsewhere)) {
    await removeQuietly(elsewhere, dirname(elsewhere));
  }
  await removeQuietly(join(folder, "socket"), join(folder, "path"), folder);
}

/** Folders only if they are empty. */
async function removeQuietly(...paths: string[]): Promise<void> {
  for (const path of paths) await Deno.remove(path).catch(() => {});
}

async function readPath(dataDir: string): Promise<string | null> {
  return await Deno.readTextFile(join(socketFolderOf(dataDir), "path")).catch(() => null);
}

function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused;
}
