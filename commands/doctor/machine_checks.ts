import { statfs } from "node:fs/promises";
import { holdsEmbedded } from "../../lib/database/embedded/embedded.ts";
import { type Check, fail, off, ok } from "../../lib/doctor/check.ts";
import { formatAddress, listenError } from "../listen.ts";

/** An import and a migration need as much again as is stored. */
const MIN_FREE_MB = 500;
const ANSWER_MS = 5_000;

const port: Check = {
  name: "port",
  async run({ config }) {
    const address = formatAddress(config);
    if (await isServing(`http://${address}${config.basePath}/health`)) {
      return ok(`a Roadcast server responds on ${address}`);
    }
    try {
      Deno.listen({ hostname: config.HOST, port: config.PORT }).close();
    } catch (error) {
      throw listenError(config, error);
    }
    return ok(`${address} is free`);
  },
};

async function isServing(health: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return "version" in await (await fetch(health, { signal })).json();
  } catch {
    return false;
  }
}

const disk: Check = {
  name: "disk",
  async run({ config: { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } }) {
    if (databaseUrl !== null) return off("not needed: the data is in PostgreSQL");
    if (!await holdsEmbedded(dataDir).catch(() => false)) {
      return off(`${dataDir} has no database yet`);
    }
    const { bavail, bsize } = await statfs(dataDir);
    const free = Math.floor(bavail * bsize / 1024 / 1024);
    const text = `${free} MB are free for ${dataDir}`;
    return free < MIN_FREE_MB
      ? fail(`${text}. Make room for ${MIN_FREE_MB} MB, or move DATA_DIR`)
      : ok(text);
  },
};

/** The checks of what only this command may look at. */
export const PORT_CHECKS: readonly Check[] = [port];
export const DISK_CHECKS: readonly Check[] = [disk];
