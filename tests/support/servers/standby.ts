import { findFreePort } from "../server.ts";

const BIN = "/usr/lib/postgresql/17/bin";

/** A standby of the PostgreSQL of the tests: read-only until it is promoted. */
export interface Standby extends AsyncDisposable {
  readonly port: number;
  promote(): Promise<void>;
  /** `mode` as for `pg_ctl`: "fast" ends connections, "immediate" is a crash. */
  restart(mode: string): Promise<void>;
}

/** Copies the server in the folder of `.ci/postgres`, and lets the copy follow it. */
export async function startStandby(folder: string, primaryPort: number): Promise<Standby> {
  const port = findFreePort();
  const cluster = `/srv/standby_${port}`;
  const runInFolder = async (command: string) => {
    const { success, stderr } = await new Deno.Command("chroot", {
      args: [folder, "su", "postgres", "-s", "/bin/sh", "-c", command],
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  const control = (words: string) =>
    runInFolder(`${BIN}/pg_ctl --pgdata=${cluster} --log=${cluster}.log --wait ${words}`);
  const primary = `--host=127.0.0.1 --port=${primaryPort} --username=postgres`;
  await runInFolder(
    `${BIN}/pg_basebackup ${primary} --pgdata=${cluster} --write-recovery-conf --checkpoint=fast`,
  );
  await control(`--options="-p ${port}" start`);
  return {
    port,
    promote: () => control("promote"),
    restart: (mode) => control(`--mode=${mode} restart`),
    async [Symbol.asyncDispose]() {
      await control("--mode=immediate stop");
      await Deno.remove(`${folder}${cluster}`, { recursive: true });
      await Deno.remove(`${folder}${cluster}.log`);
    },
  };
}
