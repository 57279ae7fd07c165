import { join, relative, resolve } from "node:path";

/** unix(7): the path of a socket takes 107 bytes on Linux, and 103 on macOS and the BSDs. */
const MAX_PATH_LENGTH = 103;

/** The shortest path of an embedded database's socket, unless that is too long. */
export function socketOf(dataDir: string): string {
  const path = join(socketFolderOf(dataDir), "socket");
  const [fromRoot, fromHere] = [resolve(path), relative(Deno.cwd(), path)];
  return fromHere.length < fromRoot.length ? fromHere : fromRoot;
}

/** It contains only the socket or, if its path would be too long, the path of another one. */
export function socketFolderOf(dataDir: string): string {
  return join(dataDir, "server");
}

/**
 * Whether the path of a socket is too long for the system.
 *
 * ```ts
 * if (!isTooLong("/data/".repeat(20))) throw new Error();
 * if (isTooLong("/var/lib/roadcast/server/socket")) throw new Error();
 * ```
 */
export function isTooLong(path: string): boolean {
  return new TextEncoder().encode(path).length > MAX_PATH_LENGTH;
}
