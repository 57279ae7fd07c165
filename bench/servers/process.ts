import { fileURLToPath } from "node:url";
import { MALLOC_VARIABLES, V8_FLAGS } from "../../tools/start_task.ts";

const PERMISSIONS = ["--allow-net", "--allow-env", "--allow-sys", "--allow-read", "--allow-write"];
const PROJECT = new URL("../../", import.meta.url);
/** How often the memory of a process is read. */
const LOOK_MS = 50;

/** A program of this project that runs beside the benchmark, and ends with it. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** The line by which it said that it is ready, parsed as JSON. */
  readonly said: unknown;
}

/** Starts a program and waits for its first line, or for one that holds a word. */
export async function startProgram(
  args: readonly string[],
  { environment = {}, input, word = "" }: {
    environment?: Record<string, string>;
    input?: string;
    word?: string;
  } = {},
): Promise<Running> {
  const child = new Deno.Command("deno", {
    args: ["run", "--no-prompt", ...PERMISSIONS, ...args],
    cwd: fileURLToPath(PROJECT),
    env: environment,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const lines = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  const said = await readLine(lines, word);
  const drained = drain(lines);
  return {
    pid: child.pid,
    said,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await drained;
    },
  };
}

/** Starts a server as the start task does, on loopback. */
export function startServer(settings: Record<string, string>): Promise<Running> {
  return startProgram([`--v8-flags=${V8_FLAGS}`, "main.ts", "serve"], {
    environment: { ...MALLOC_VARIABLES, ...settings, HOST: "127.0.0.1" },
    word: "listening on",
  });
}

/** Runs a command of Roadcast. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const command = new Deno.Command("deno", {
    args: ["run", "--allow-all", "main.ts", ...args],
    cwd: fileURLToPath(PROJECT),
    env: environment,
    stdout: "null",
    stderr: "inherit",
  });
  const { success } = await command.spawn().status;
  if (!success) throw new Error(`The command ${args[0]} failed`);
}

async function readLine(chunks: AsyncIterator<string>, word: string): Promise<unknown> {
  let text = "";
  while (true) {
    const line = text.split("\n").slice(0, -1).find((line) => line.includes(word));
    if (line !== undefined) return JSON.parse(line);
    const { value, done } = await chunks.next();
    if (done) throw new Error(`A program ended before it was ready: ${text}`);
    text += value;
  }
}

async function drain(chunks: AsyncIterator<string>): Promise<void> {
  while (!(await chunks.next()).done);
}

/** A port that is free at the moment. */
export function findFreePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

/** The memory of a process, in megabytes; null if the system does not report it. */
export async function readMemory(pid: number): Promise<number | null> {
  try {
    const ps = new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] });
    const { stdout } = await ps.output();
    return Number(new TextDecoder().decode(stdout)) / 1024;
  } catch {
    return null;
  }
}

/** The processor time that a process took so far, in milliseconds; NaN if the system does not report it. */
export async function readProcessorTime(pid: number): Promise<number> {
  try {
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).output();
    // Behind the name, which may hold anything: the 12th and 13th field, in hundredths of a second.
    const fields = new TextDecoder().decode(stdout).split(") ").at(-1)!.split(" ");
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return NaN;
  }
}

/** Follows the memory of processes; `most` is the most that one of them took, in megabytes. */
export function watchMemory(pids: readonly number[]): Disposable & { readonly most: number } {
  let most = 0;
  const look = async () => {
    for (const pid of pids) most = Math.max(most, await readMemory(pid) ?? 0);
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return {
    get most() {
      return most;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
