/**
 * Runs a command of main.ts with the permissions that it needs, with the variables of a file `.env`
 * where there is one. No package runs in this process, which may start others with any permission.
 */
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { wantsHelp, wantsVersion } from "../commands/help.ts";
import { ENV_FILE_VARIABLE } from "../lib/config/setting_names.ts";
import { describeNearMisses } from "../commands/near_misses.ts";
import { allow, readsSources } from "./allow.ts";
import { serverMemory } from "./server_memory.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const SOURCE_FILES = fileURLToPath(new URL("./source_files.ts", import.meta.url));

/** Signals are passed on to the command: a supervisor knows only this process. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Commands that name variables which look like a misspelt setting. */
const NAMES_MISSPELT = ["serve", "doctor"];

/** How Roadcast is installed. */
export interface Installation {
  /** The folder of the code and its packages. */
  folder: string;
  /** Makes what is missing before a server starts, and returns the exit code. */
  buildServer?(): Promise<number>;
}

/** Runs a command, with its arguments, and returns its exit code. */
export async function runCommand(
  words: readonly string[],
  { folder, buildServer }: Installation,
): Promise<number> {
  const [command = ""] = words;
  const isServer = command === "serve";
  const environment: Record<string, string | undefined> = Deno.env.toObject();
  const runs = !wantsHelp(words) && !wantsVersion(words);
  if (NAMES_MISSPELT.includes(command) && runs) {
    for (const line of describeNearMisses(Object.keys(environment))) console.error(line);
  }
  if (isServer && runs) {
    const built = await buildServer?.() ?? 0;
    if (built !== 0) return built;
  }
  const config = environment.ROADMAP_CONFIG?.trim();
  const needs = config && readsSources(command) ? await readSourceNeeds(config) : {};
  const writesAnyFile = command === "import" &&
    words.some((word) => /^--write-fields\b/.test(word));
  const memory = isServer || command === "import" ? serverMemory(environment.DATABASE_URL) : null;
  const flags = [
    "--quiet",
    "--no-prompt",
    ...allow(command, { ...environment, ...needs, writesAnyFile, folder }),
    ...memory ? [memory.v8Flags] : [],
  ];
  return await runDeno(["run", ...flags, MAIN, ...words], memory?.environment ?? {});
}

/** Sets what `.env` sets and the environment does not, and what Deno is to obey. */
export async function prepareEnvironment(): Promise<void> {
  await loadEnvFile();
  replaceNodeVariables();
}

async function loadEnvFile(): Promise<void> {
  const text = await Deno.readTextFile(".env").catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  const added = (Object.entries(parseEnv(text)) as [string, string][])
    .filter(([name]) => Deno.env.get(name) === undefined);
  for (const [name, value] of added) Deno.env.set(name, value);
  Deno.env.set(ENV_FILE_VARIABLE, added.map(([name]) => name).join(","));
}

/**
 * Deno's node:https obeys these too: the first needs a permission that no flag of Deno 2.9.6 grants,
 * the others would send webhooks through a proxy, past the check of their addresses.
 */
function replaceNodeVariables(): void {
  const certificates = Deno.env.get("NODE_EXTRA_CA_CERTS");
  if (certificates && !Deno.env.get("DENO_CERT")) Deno.env.set("DENO_CERT", certificates);
  for (const name of ["NODE_EXTRA_CA_CERTS", "NODE_USE_ENV_PROXY", "NODE_OPTIONS"]) {
    Deno.env.delete(name);
  }
}

/** ROADMAP_CONFIG may be anywhere, where this process may not read. */
async function readSourceNeeds(
  config: string,
): Promise<{ sourceFiles: string[]; variables: string[] }> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", `--allow-read=${config}`, SOURCE_FILES, config],
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Runs Deno in place of this process, as far as possible, and returns its exit code. */
export async function runDeno(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    env,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  // Windows has SIGINT alone of these.
  const signals = Deno.build.os === "windows" ? ["SIGINT" as const] : PASSED_ON;
  const passing = signals.map((signal) => [signal, () => passOn(child, signal)] as const);
  for (const [signal, pass] of passing) Deno.addSignalListener(signal, pass);
  const { code } = await child.status;
  for (const [signal, pass] of passing) Deno.removeSignalListener(signal, pass);
  return code;
}

function passOn(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended already: a terminal sends its signals to all of its processes.
  }
}
