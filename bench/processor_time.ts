/** The parts of the load's machine, by what their processes do. */
export type Part = "servers" | "PostgreSQL" | "nginx" | "load and mail server";

/** Where the processes of each part are found. */
export interface Watched {
  /** Roadcast's own servers, one by one. */
  readonly servers: readonly number[];
  readonly nginx: number;
  /** Those that send the load and take the mails. */
  readonly load: readonly number[];
  /** The name of the database, which PostgreSQL shows in the titles of its processes. */
  readonly database: string;
}

/** Seconds of processor time by part. */
export type Seconds = Readonly<Record<Part, number>>;

const LOOK_MS = 1_000;
/** Of USER_HZ, in which Linux counts (proc_pid_stat(5)). */
const TICKS = 100;
/** Of the PostgreSQL server itself; the other titles name a database. */
const SHARED_TITLES = /^postgres: (checkpointer|background writer|walwriter)/;

/** A process as `ps` lists it; memory in megabytes. */
interface Listed {
  pid: number;
  parent: number;
  memory: number;
  title: string;
}

/** Follows the memory and the processor time of processes on this machine; Linux only. */
export class ProcessWatch implements Disposable {
  /** The most memory of each server, in the order of their ids. */
  readonly memory: number[];
  /** The most connections to the database at once. */
  connections = 0;
  /** Of processes that have ended too. */
  readonly #spent = new Map<number, { part: Part; seconds: number }>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly watched: Watched) {
    this.memory = watched.servers.map(() => 0);
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
  }

  /** Reads everything now; returns the seconds since the processes began. */
  async look(): Promise<Seconds> {
    const listed = await listProcesses();
    const parts = listed.flatMap((one) => {
      const part = this.#partOf(one, listed);
      return part === null ? [] : [{ ...one, part }];
    });
    this.watched.servers.forEach((pid, place) => {
      const memory = listed.find((one) => one.pid === pid)?.memory ?? 0;
      this.memory[place] = Math.max(this.memory[place]!, memory);
    });
    const ours = parts.filter(({ title }) => title.includes(this.watched.database));
    this.connections = Math.max(this.connections, ours.length);
    const seconds = await readSeconds(parts.map(({ pid }) => pid));
    for (const { pid, part } of parts) {
      if (seconds.has(pid)) this.#spent.set(pid, { part, seconds: seconds.get(pid)! });
    }
    const sum = (wanted: Part) =>
      [...this.#spent.values()].filter(({ part }) => part === wanted)
        .reduce((sum, { seconds }) => sum + seconds, 0);
    return {
      "servers": sum("servers"),
      "PostgreSQL": sum("PostgreSQL"),
      "nginx": sum("nginx"),
      "load and mail server": sum("load and mail server"),
    };
  }

  #partOf({ pid, parent, title }: Listed, listed: readonly Listed[]): Part | null {
    const { servers, nginx, load, database } = this.watched;
    if (servers.includes(pid)) return "servers";
    if (pid === nginx || parent === nginx) return "nginx";
    if (load.includes(pid)) return "load and mail server";
    if (!title.startsWith("postgres: ")) return null;
    if (title.includes(database)) return "PostgreSQL";
    const isOfSameServer = SHARED_TITLES.test(title) &&
      listed.some((other) => other.parent === parent && other.title.includes(database));
    return isOfSameServer ? "PostgreSQL" : null;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** The seconds of each part between two looks. */
export function subtract(after: Seconds, before: Seconds): Seconds {
  return Object.fromEntries(
    Object.entries(after).map(([part, seconds]) => [part, seconds - before[part as Part]]),
  ) as unknown as Seconds;
}

async function listProcesses(): Promise<Listed[]> {
  const lines = await runProgram("ps", ["-e", "-ww", "-o", "pid=,ppid=,rss=,args="]);
  return lines.map((line) => {
    const [, pid, parent, memory, title] = /^ *(\d+) +(\d+) +(\d+) (.*)$/.exec(line)!;
    return {
      pid: Number(pid),
      parent: Number(parent),
      memory: Number(memory) / 1024,
      title: title!,
    };
  });
}

/** Deno reads nothing below /proc without all permissions. */
async function readSeconds(pids: readonly number[]): Promise<Map<number, number>> {
  const lines = await runProgram("cat", pids.map((pid) => `/proc/${pid}/stat`));
  return new Map(lines.map((line) => {
    // After the name, which may hold anything: fields 14 and 15, utime and stime.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return [parseInt(line), (Number(fields[11]) + Number(fields[12])) / TICKS];
  }));
}

/** Its lines; a process that has ended meanwhile has none. */
async function runProgram(name: string, args: readonly string[]): Promise<string[]> {
  const program = new Deno.Command(name, { args: [...args], stdin: "null", stderr: "null" });
  const { stdout } = await program.output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}
