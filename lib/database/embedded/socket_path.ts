import { join, relative, resolve } from "node:path";

/** unix(7): the path of a socket takes 107 bytes on Linux, and 103 on macOS and the BSDs. */
const MAX_PATH_LENGTH = 103;

/** The name under which PostgreSQL's clients look for a socket in a folder. */
export const SOCKET_NAME = ".s.PGSQL.5432";

/** The folder of the socket of a server, which other processes may use, or of a single command. */
export function socketFolderOf(dataDir: string, { isShared = true } = {}): string {
  return join(dataDir, isShared ? "server" : "single");
}

/** The shortest path of an embedded database's socket, unless that is too long. */
export function socketOf(dataDir: string, sharing: { isShared?: boolean } = {}): string {
  const path = join(socketFolderOf(dataDir, sharing), SOCKET_NAME);
  const [fromRoot, fromHere] = [resolve(path), relative(Deno.cwd(), path)];
  return fromHere.length < fromRoot.length ? fromHere : fromRoot;
}

/**
 * Whether the path of a socket is too long for the system.
 *
 * ```ts
 * if (!isTooLong("/data/".repeat(20))) throw new Error();
 * if (isTooLong("/var/lib/roadcast/server/.s.PGSQL.5432")) throw new Error();
 * ```
 */
export function isTooLong(path: string): boolean {
  return new TextEncoder().encode(path).length > MAX_PATH_LENGTH;
}
