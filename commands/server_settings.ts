import { createHmac, randomUUID } from "node:crypto";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Config } from "../lib/config/config.ts";
import { SETTING_NAMES, type SettingName } from "../lib/config/settings.ts";
import { readHolder } from "../lib/database/embedded/folder_lock.ts";
import { findServer } from "../lib/database/embedded/socket_place.ts";

/** How a process listens and where its data is, which a command beside a server need not know. */
const OF_ITS_OWN: readonly SettingName[] = ["HOST", "PORT", "DATA_DIR", "DATABASE_URL"];
const COMPARED = SETTING_NAMES.filter((name) => !OF_ITS_OWN.includes(name));

/** The settings of the server that has an embedded database open, each as a hash. */
interface NotedSettings {
  /** What the lock of the folder says of the server. */
  holder: string;
  salt: string;
  hashes: Record<string, string>;
}

/** Notes beside the embedded database with which settings this server runs, none of them readable. */
export async function noteSettings(config: Config): Promise<void> {
  if (config.DATABASE_URL !== null) return;
  const salt = randomUUID();
  const holder = await readHolder(config.DATA_DIR);
  const noted: NotedSettings = { holder, salt, hashes: hash(config, salt) };
  await Deno.writeTextFile(pathOf(config), JSON.stringify(noted), { mode: 0o600 });
}

/**
 * In which settings the server that has the embedded database open differs; null: there is none.
 * With `given`, only those that were given here count.
 */
export async function findOtherSettings(
  config: Config,
  { given = false } = {},
): Promise<string[] | null> {
  // What the last server noted stays behind it.
  if (config.DATABASE_URL !== null || await findServer(config.DATA_DIR) === null) return null;
  try {
    const noted: NotedSettings = JSON.parse(await Deno.readTextFile(pathOf(config)));
    if (noted.holder !== await readHolder(config.DATA_DIR)) return null;
    const own = hash(config, noted.salt);
    const compared = COMPARED.filter((name) => !given || config.given[name] !== undefined);
    return compared.filter((name) => own[name] !== noted.hashes[name]);
  } catch {
    return null; // no server has noted anything
  }
}

/** Says in which settings the running server differs, and what to do. */
export function describeOthers(others: readonly string[]): string {
  return `The running server has other values of ${others.join(", ")} than this command: ` +
    "write settings into .env, which both read";
}

const WHOLE = { depth: null, maxArrayLength: null, maxStringLength: null };

/** A value that follows from another setting is compared as it was given. */
function hash(config: Config, salt: string): Record<string, string> {
  const valueOf = (name: SettingName) =>
    name === "SOURCE_USER_AGENT" ? config.given[name]?.text : config[name];
  return Object.fromEntries(
    COMPARED.map((name) => [
      name,
      createHmac("sha256", salt).update(inspect(valueOf(name), WHOLE)).digest("hex"),
    ]),
  );
}

function pathOf({ DATA_DIR: dataDir }: Config): string {
  return join(dataDir, "roadcast.settings");
}
