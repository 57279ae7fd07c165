/**
 * `deno task import` and the like: runs a command of main.ts with the permissions that it needs,
 * once the packages are there, with the variables of a file `.env` where there is one.
 */
import { parseEnv } from "node:util";
import { asksForHelp, asksForVersion } from "../commands/help.ts";
import { install } from "./install.ts";

/** Signals are passed on to the command: a supervisor knows only this process. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Commands that name variables which look like a misspelt setting. */
const NAMES_MISSPELT = ["serve", "doctor"];

if (import.meta.main) Deno.exit(await runCommand(Deno.args));

async function runCommand(words: string[]): Promise<number> {
  if (await install()) return await run(["run", "-qP", "tools/roadcast.ts", ...words], {});
  // These need packages.
  const { allow, readSourceFiles } = await import("./allow.ts");
  const { describeNearMisses } = await import("../commands/near_misses.ts");
  const { serverMemory } = await import("./server_memory.ts");
  const [command = ""] = words;
  const isServer = command === "serve";
  const added = await readEnvFile();
  const environment: Record<string, string | undefined> = { ...added, ...Deno.env.toObject() };
  const runs = !asksForHelp(words) && !asksForVersion(words);
  if (NAMES_MISSPELT.includes(command) && runs) {
    for (const line of describeNearMisses(Object.keys(environment))) console.error(line);
  }
  if (isServer && runs) {
    const build = await run(["task", "--quiet", "build"], {});
    if (build !== 0) return build;
  }
  const sourceFiles = await readSourceFiles(environment.ROADMAP_CONFIG);
  const memory = isServer ? serverMemory(environment.DATABASE_URL) : null;
  const flags = [
    "--quiet",
    "--no-prompt",
    ...allow(command, { ...environment, sourceFiles }),
    ...memory ? [memory.v8Flags] : [],
  ];
  return await run(["run", ...flags, "main.ts", ...words], { ...added, ...memory?.environment });
}

/** Variables that `.env` sets and the environment does not. */
async function readEnvFile(): Promise<Record<string, string>> {
  const text = await Deno.readTextFile(".env").catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  const set = Object.entries(parseEnv(text)) as [string, string][];
  return Object.fromEntries(set.filter(([name]) => Deno.env.get(name) === undefined));
}

/** Runs Deno in place of this process, as far as possible, and returns its exit code. */
async function run(args: string[], env: Record<string, string>): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    env,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  const passing = PASSED_ON.map((signal) => [signal, () => passOn(child, signal)] as const);
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
