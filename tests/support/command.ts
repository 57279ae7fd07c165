import { SETTING_NAMES } from "../../lib/config/setting_names.ts";

const PROJECT = new URL("../../", import.meta.url);
/** What this machine needs to run Deno, and to reach a registry. */
const STORAGE_KEY = [
  ...["PATH", "HOME", "DENO_DIR", "TMPDIR"],
  ...["DENO_CERT", "DENO_TLS_CA_STORE", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NPM_CONFIG_REGISTRY"],
];

/** What a command printed, and how it ended. */
export interface Ending {
  code: number;
  out: string;
  err: string;
}

/** A command in a process of its own. */
export interface Running {
  readonly pid: number;
  /** What it has written so far, to both streams. */
  output(): string;
  /** Sends it a signal; one that has ended already takes none. */
  kill(signal: Deno.Signal): void;
  /** The exit code, when it has ended. */
  readonly ended: Promise<number>;
  /** What it printed on each stream as well. */
  readonly ending: Promise<Ending>;
}

/** Runs a command of Roadcast in a process of its own, with these settings and no others. */
export function runCommand(words: string[], settings: Record<string, string>): Promise<Ending> {
  return startCommand(words, settings).ending;
}

/** Runs a task of deno.json, with the permissions that it has there. */
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
  // What a file .env of this project says must not reach a test; a copy has none.
  const unset = project === PROJECT ? SETTING_NAMES.map((name) => [name, ""]) : [];
  return startDeno(["task", "--quiet", ...words], {
    ...Object.fromEntries(unset),
    ...settings,
  }, project);
}

/** Starts a command of Roadcast in a process of its own. */
export function startCommand(words: string[], settings: Record<string, string>): Running {
  return startDeno(["run", "--quiet", "--no-prompt", "--allow-all", "main.ts", ...words], settings);
}

/** Starts `deno run` with these flags on main.ts, as a host does that takes no tasks. */
export function startMain(
  flags: string[],
  settings: Record<string, string>,
  project: URL = PROJECT,
): Running {
  return startDeno(["run", "--quiet", "--no-prompt", ...flags, "main.ts"], settings, project);
}

/** Starts a script that is no part of Roadcast, with whatever it asks for. */
export function startScript(words: string[]): Running {
  return startDeno(["run", "--quiet", "--no-prompt", "--no-config", "--allow-all", ...words], {});
}

/** Starts a line of a shell in a folder; its errors are part of what it prints. */
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
