import { reset } from "@logtape/logtape";
import { SETTING_NAMES } from "../../lib/config/settings.ts";
import { main } from "../../main.ts";
import { V8_FLAGS } from "../../tools/start_task.ts";

const PROJECT = new URL("../../", import.meta.url);
/** The variables that this machine needs to run Deno and to reach a registry. */
const STORAGE_KEY = [
  ...["PATH", "HOME", "DENO_DIR", "TMPDIR"],
  ...["DENO_CERT", "DENO_TLS_CA_STORE", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NPM_CONFIG_REGISTRY"],
];

/** As in the tasks that say so themselves; without them PostgreSQL is optimized at every start. */
const DENO_V8_FLAGS = V8_FLAGS;

/** The output and exit code of a command. */
export interface Ending {
  code: number;
  out: string;
  err: string;
}

/** A command in a separate process. */
export interface Running {
  readonly pid: number;
  /** Its output so far, of both streams. */
  output(): string;
  /** Sends it a signal, unless it has already exited. */
  kill(signal: Deno.Signal): void;
  /** The exit code, once it has exited. */
  readonly ended: Promise<number>;
  /** The exit code with the output of each stream. */
  readonly ending: Promise<Ending>;
}

/** The console of this process is that of one command at a time. */
let running: Promise<unknown> = Promise.resolve();

/**
 * Runs a Roadcast command in this process, with only these settings. What signals, permissions or
 * other variables do needs a process of its own, and so does a server that starts.
 */
export async function runHere(words: string[], settings: Record<string, string>): Promise<Ending> {
  const { code, out, err } = await sayHere(words, settings);
  return { code, out: out.trim(), err: err.trim() };
}

/** Like `runHere`, with the white space at the ends of the output. */
export function sayHere(words: string[], settings: Record<string, string>): Promise<Ending> {
  const ending = running.then(() => runMain(words, settings));
  running = ending.catch(() => {});
  return ending;
}

async function runMain(words: string[], settings: Record<string, string>): Promise<Ending> {
  const { log, error } = console;
  const { write } = Deno.stdout;
  const said = { out: "", err: "" };
  console.log = (text) => said.out += `${text}\n`;
  console.error = (text) => said.err += `${text}\n`;
  Deno.stdout.write = (bytes) => {
    said.out += new TextDecoder().decode(bytes);
    return Promise.resolve(bytes.length);
  };
  try {
    return { code: await main(words, settings), ...said };
  } finally {
    Object.assign(console, { log, error });
    Deno.stdout.write = write;
    await reset(); // the next command may start a log as well
  }
}

/** Runs a Roadcast command in a separate process, with only these settings. */
export function runCommand(words: string[], settings: Record<string, string>): Promise<Ending> {
  return startCommand(words, settings).ending;
}

/** Runs a task of deno.json, with its permissions. */
export function runTask(
  words: string[],
  settings: Record<string, string>,
  project: URL = PROJECT,
): Promise<Ending> {
  return startTask(words, settings, project).ending;
}

/** Starts a task of deno.json, in this project or in a copy of it. */
export function startTask(
  words: string[],
  settings: Record<string, string>,
  project: URL = PROJECT,
): Running {
  // A .env file of this project must not affect tests; a copy has none.
  const unset = project === PROJECT ? SETTING_NAMES.map((name) => [name, ""]) : [];
  return startDeno(["task", "--quiet", ...words], {
    ...!["start", "import"].includes(words[0]!) && { DENO_V8_FLAGS },
    ...Object.fromEntries(unset),
    ...settings,
  }, project);
}

/** Starts a Roadcast command in a separate process. */
export function startCommand(words: string[], settings: Record<string, string>): Running {
  return startMain(["--allow-all"], settings, PROJECT, words);
}

/** Starts `deno run` with these flags on main.ts, as on a host that does not run tasks. */
export function startMain(
  flags: string[],
  settings: Record<string, string>,
  project: URL = PROJECT,
  words: readonly string[] = [],
): Running {
  const args = ["run", "--quiet", "--no-prompt", ...flags, "main.ts", ...words];
  return startDeno(args, { DENO_V8_FLAGS, ...settings }, project);
}

/** Starts a script that is not part of Roadcast, with all permissions. */
export function startScript(words: string[]): Running {
  return startDeno(["run", "--quiet", "--no-prompt", "--no-config", "--allow-all", ...words], {});
}

/** Starts a shell line in a folder; stderr goes to stdout. */
export function startLine(line: string, settings: Record<string, string>, folder: URL): Running {
  return startProgram("sh", ["-c", `exec 2>&1\n${line}`], { settings, folder });
}

function startDeno(
  args: string[],
  settings: Record<string, string>,
  project: URL = PROJECT,
): Running {
  return startProgram(Deno.execPath(), args, { settings, folder: project });
}

function startProgram(
  program: string,
  args: string[],
  { settings, folder }: { settings: Record<string, string>; folder: URL },
): Running {
  const kept = STORAGE_KEY.map((name) => [name, Deno.env.get(name)]).filter(([, value]) => value);
  const child = new Deno.Command(program, {
    args,
    cwd: folder,
    clearEnv: true,
    env: { ...Object.fromEntries(kept), NO_COLOR: "1", ...settings },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
    let text = "";
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      output += chunk;
    }
    return text.trim();
  }
  let hasEnded = false;
  const status = child.status.finally(() => hasEnded = true);
  const ending = Promise.all([status, collect(child.stdout), collect(child.stderr)])
    .then(([{ code }, out, err]) => ({ code, out, err }));
  return {
    pid: child.pid,
    output: () => output,
    kill: (signal) => {
      if (!hasEnded) child.kill(signal);
    },
    ended: ending.then(({ code }) => code),
    ending,
  };
}
