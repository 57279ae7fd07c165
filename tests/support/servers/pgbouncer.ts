import { findFreePort } from "../server.ts";
import { waitFor } from "../wait_for.ts";

const PGBOUNCER = "/usr/sbin/pgbouncer";

/** Returns whether PgBouncer is installed. */
export function hasPgbouncer(): boolean {
  try {
    return Deno.statSync(PGBOUNCER).isFile;
  } catch {
    return false;
  }
}

/** Runs a PgBouncer in transaction mode, with few connections, in front of a database. */
export async function startPgbouncer(
  databaseUrl: string,
  { connections }: { connections: number },
): Promise<{ url: string } & AsyncDisposable> {
  const port = findFreePort();
  const { hostname, port: target, pathname, username } = new URL(databaseUrl);
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/users.txt`, `"${username}" ""\n`);
  await Deno.writeTextFile(
    `${folder}/pgbouncer.ini`,
    [
      "[databases]",
      `* = host=${hostname} port=${target}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${folder}/users.txt`,
      "pool_mode = transaction",
      `default_pool_size = ${connections}`,
    ].join("\n"),
  );
  await Deno.chmod(folder, 0o755);
  // It refuses to run as root.
  const isRoot = Deno.uid() === 0;
  const pgbouncer = new Deno.Command(PGBOUNCER, {
    args: ["--quiet", ...isRoot ? ["--user", "nobody"] : [], `${folder}/pgbouncer.ini`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await waitFor("PgBouncer", async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      return false;
    }
  });
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    async [Symbol.asyncDispose]() {
      pgbouncer.kill("SIGINT");
      await pgbouncer.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}
