import { parseEnv } from "node:util";
import { systemReason } from "../system_reason.ts";
import { decodeFile } from "../text/encodings.ts";
import { editDistance } from "../text/match_words.ts";
import { ConfigError, HOST_VARIABLE } from "./config.ts";
import { SETTING_NAMES, SETTINGS } from "./settings.ts";

/**
 * Deno's node:https obeys these: the first needs a permission that no flag of Deno 2.9.6 grants, the
 * others would send webhooks through a proxy, past the check of their addresses.
 */
const IGNORED = ["NODE_EXTRA_CA_CERTS", "NODE_USE_ENV_PROXY", "NODE_OPTIONS"];

/** Containers hand secrets over as files: `SMTP_URL_FILE` names the file of `SMTP_URL`. */
const FILE_VARIABLES = SETTING_NAMES.filter((name) => SETTINGS[name].isSecret)
  .map((name) => ({ name, variable: `${name}_FILE` }));

/** The variables that settings are read from. */
export const VARIABLE_NAMES: readonly string[] = [
  ...SETTING_NAMES,
  ...FILE_VARIABLES.map(({ variable }) => variable),
  HOST_VARIABLE,
];

/**
 * Sets what a file `.env` in the current folder sets and the environment does not, and returns these
 * names.
 *
 * @throws {ConfigError} if there is such a file that cannot be read, or if no variable can be read
 */
export function loadEnvironment(): string[] {
  try {
    for (const name of IGNORED) Deno.env.delete(name);
    const added = Object.entries(parseEnv(readEnvFile()) as Record<string, string>)
      .filter(([name]) => Deno.env.get(name) === undefined);
    for (const [name, value] of added) Deno.env.set(name, value);
    return added.map(([name]) => name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return [];
  }
}

function readEnvFile(): string {
  try {
    return decodeFile(Deno.readFileSync(".env"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return "";
    throw new ConfigError(`Cannot read .env: ${systemReason(error) ?? (error as Error).message}`);
  }
}

/**
 * The variables that `readConfig` takes.
 *
 * @throws {ConfigError} if the process was started without the right to read its settings, or if the
 *   file of a secret cannot be read
 */
export function readEnvironment(): Record<string, string | undefined> {
  try {
    return withSecretFiles(
      Object.fromEntries(VARIABLE_NAMES.map((name) => [name, Deno.env.get(name)])),
    );
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new ConfigError(
      "This process is not allowed to read its settings: start it with --allow-env, or by `deno task`",
    );
  }
}

/** Reads the secrets whose files are named, without the line break at their ends. */
function withSecretFiles(
  environment: Record<string, string | undefined>,
): Record<string, string | undefined> {
  const read = { ...environment };
  const wrong: string[] = [];
  for (const { name, variable } of FILE_VARIABLES) {
    const path = environment[variable]?.trim();
    if (!path) continue;
    if (environment[name]?.trim()) {
      wrong.push(`Set ${name} or ${variable}, not both`);
      continue;
    }
    try {
      read[name] = Deno.readTextFileSync(path).replace(/\r?\n$/, "");
      if (!read[name].trim()) wrong.push(`${variable}: ${path} is empty`);
    } catch (error) {
      wrong.push(`${variable}: cannot read ${path}: ${systemReason(error) ?? error}`);
    }
  }
  if (wrong.length > 0) throw new ConfigError(wrong.join("\n"));
  return read;
}

/** Settings of earlier versions: what they were set to by default is what holds. */
const GONE = [
  "CACHE_DATABASE_MB",
  "LOG_REQUESTS",
  "READY_MAX_AGE_MINUTES",
  "RELATED_WORDS",
  "SITE_ACCENT_DARK",
];

/** Names that begin so are meant for Roadcast, however unlike any setting. */
const OWN_PREFIX = /^(?:ROADMAP|CACHE|SITE|DIGEST|EMBED|SEMANTIC|QUESTION|VERIFICATION|SUBSCRIBE)_/;
/** How many letters may be wrong: short names resemble too many others. */
const MAX_TYPOS = { short: 1, long: 2 };
const LONG = 6;

/**
 * Names variables that look like a setting but are none, one line each.
 *
 * ```ts
 * const [line] = describeNearMisses(["PATH", "PORT", "SMTP_URI"]);
 * if (line !== "SMTP_URI is not a setting of Roadcast; did you mean SMTP_URL?") throw new Error(line);
 * ```
 */
export function describeNearMisses(names: readonly string[]): string[] {
  return names.filter((name) => !VARIABLE_NAMES.includes(name)).sort().flatMap((name) => {
    if (GONE.includes(name)) {
      return [`${name} is no longer a setting of Roadcast: it has no effect`];
    }
    const distances = SETTING_NAMES.map((setting) => editDistance(name.toUpperCase(), setting));
    const distance = Math.min(...distances);
    const most = name.length < LONG ? MAX_TYPOS.short : MAX_TYPOS.long;
    if (distance > most && !OWN_PREFIX.test(name)) return [];
    const hint = distance > most
      ? "docs/settings.md lists all settings"
      : `did you mean ${SETTING_NAMES[distances.indexOf(distance)]}?`;
    return [`${name} is not a setting of Roadcast; ${hint}`];
  });
}
