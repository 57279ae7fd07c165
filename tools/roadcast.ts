/** `deno task roadcast COMMAND …`: runs a command of main.ts with the permissions that it needs. */
import { allow, readSourceFiles } from "./allow.ts";
import { SERVER_MEMORY } from "./server_memory.ts";

/** Whoever sends them means the command: a supervisor knows this process only. */
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

if (import.meta.main) Deno.exit(await runCommand(Deno.args));

async function runCommand(words: string[]): Promise<number> {
  const [command = ""] = words;
  const isServer = command === "serve";
  const permissions = allow(command, {
    DATA_DIR: Deno.env.get("DATA_DIR"),
    ROADMAP_SOURCE: Deno.env.get("ROADMAP_SOURCE"),
    ROADMAP_CONFIG: Deno.env.get("ROADMAP_CONFIG"),
    sourceFiles: await readSourceFiles(Deno.env.get("ROADMAP_CONFIG")),
  });
  const flags = [
    "--quiet",
    "--no-prompt",
    ...permissions,
    ...isServer ? [SERVER_MEMORY.v8Flags] : [],
  ];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, "main.ts", ...words],
    env: isServer ? SERVER_MEMORY.environment : {},
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  for (const signal of PASSED_ON) Deno.addSignalListener(signal, () => passOn(child, signal));
  return (await child.status).code;
}

function passOn(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended already: a terminal sends its signals to everybody.
  }
}
