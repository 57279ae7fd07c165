import { join } from "node:path";

const PROJECT = new URL("../../", import.meta.url).pathname;

/** An image as a folder, with the process settings of its instructions. */
export interface Image {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Turns a Debian in a folder into a base image. */
export type BaseImage = (root: string, name: string) => Promise<void>;

/**
 * Builds the image of the project's Dockerfile without a container engine: each instruction runs in
 * the folder of its stage, by chroot. Supports only the instructions that the Dockerfile uses.
 */
export async function buildImage(
  folder: string,
  { makeBase, buildEnv }: { makeBase: BaseImage; buildEnv: Readonly<Record<string, string>> },
): Promise<Image> {
  const stages = new Map<string, Image>();
  let image: Image | null = null;
  for (const { name, rest } of await readInstructions()) {
    if (name === "FROM") {
      const [base = "", as, alias = `stage${stages.size}`] = rest.split(/\s+/);
      if (as !== undefined && as !== "AS") throw new Error(`FROM ${rest}`);
      const root = join(folder, alias);
      await makeBase(root, base);
      image = { root, env: {}, workdir: "/", user: "root", command: [], healthCheck: [] };
      stages.set(alias, image);
      continue;
    }
    image = await follow(image!, { name, rest, stages, buildEnv });
    const [alias] = [...stages].at(-1)!;
    stages.set(alias, image);
  }
  return image!;
}

async function readInstructions(): Promise<{ name: string; rest: string }[]> {
  const text = await Deno.readTextFile(join(PROJECT, "Dockerfile"));
  return text.replace(/^#.*\n/gm, "").replace(/\\\n\s*/g, "").split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line)!;
      return { name: name!, rest: rest! };
    });
}

async function follow(
  image: Image,
  { name, rest, stages, buildEnv }: {
    name: string;
    rest: string;
    stages: ReadonlyMap<string, Image>;
    buildEnv: Readonly<Record<string, string>>;
  },
): Promise<Image> {
  switch (name) {
    case "ENV": {
      const pairs = [...rest.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key!, value!]);
      return { ...image, env: { ...image.env, ...Object.fromEntries(pairs) } };
    }
    case "WORKDIR":
      await Deno.mkdir(image.root + rest, { recursive: true });
      return { ...image, workdir: rest };
    case "USER":
      return { ...image, user: rest };
    case "RUN":
      await expectSuccess(runIn(image, ["/bin/sh", "-c", rest], buildEnv));
      return image;
    case "COPY":
      await copy(image, rest, stages);
      return image;
    case "HEALTHCHECK":
      return { ...image, healthCheck: JSON.parse(rest.slice(rest.indexOf("["))) };
    case "CMD":
      return { ...image, command: JSON.parse(rest) };
    case "ARG":
    case "VOLUME":
    case "EXPOSE":
    case "STOPSIGNAL":
      return image;
    default:
      throw new Error(`The Dockerfile has ${name}, which is not known here`);
  }
}

async function copy(
  { root, workdir }: Image,
  rest: string,
  stages: ReadonlyMap<string, Image>,
): Promise<void> {
  const words = rest.split(/\s+/);
  const from = /^--from=(.*)$/.exec(words[0]!)?.[1];
  if (from !== undefined) words.shift();
  const target = words.pop()!;
  const destination = join(root, target.startsWith("/") ? target : join(workdir, target));
  for (const source of words) {
    if (from !== undefined) {
      const folder = destination.slice(0, destination.lastIndexOf("/"));
      await Deno.mkdir(folder, { recursive: true });
      await expectSuccess(
        run("cp", ["--archive", stages.get(from)!.root + source, destination]),
      );
    } else {
      // The build context, without the files in .dockerignore.
      const ignored = ["--exclude-from", join(PROJECT, ".dockerignore"), "--anchored"];
      const pack = `tar -C "$1" ${ignored.join(" ")} -cf - "$2" | tar -C "$3" -xf -`;
      await Deno.mkdir(destination, { recursive: true });
      await expectSuccess(run("/bin/sh", ["-c", pack, "sh", PROJECT, source, destination]));
    }
  }
}

/** Starts a command in an image, as its user, with only its variables and the given ones. */
export function runIn(
  { root, env, workdir, user }: Image,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Deno.ChildProcess {
  const all = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...env };
  const variables = Object.entries({ ...all, ...more }).map(([name, value]) => `${name}=${value}`);
  const enter = `cd ${workdir} && exec env -i "$@"`;
  const inRoot = [
    ...user === "root" ? [] : [`--userspec=${user}:${user}`],
    ...[root, "/bin/sh", "-c", enter, "sh", ...variables, ...command],
  ];
  // Deno needs /proc; the mount ends with the process.
  const mounted = 'mount --types proc proc "$0/proc" && exec chroot "$@"';
  return run("unshare", ["--mount", "/bin/sh", "-c", mounted, root, ...inRoot]);
}

function run(command: string, args: string[]): Deno.ChildProcess {
  return new Deno.Command(command, { args, stdin: "null", stdout: "piped", stderr: "piped" })
    .spawn();
}

/** The output of a process. @throws if it failed */
export async function expectSuccess(process: Deno.ChildProcess): Promise<string> {
  const { success, stdout, stderr } = await process.output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(decode(stdout) + decode(stderr));
  return decode(stdout);
}
