/** `deno task install`: installs the packages of deno.lock, unless that has been done. */
import { fileURLToPath } from "node:url";
import { CountedLine } from "./counted_line.ts";

const PROJECT = new URL("../", import.meta.url);
const INSTALLED = new URL("node_modules/.deno/", PROJECT);

if (import.meta.main) await install();

/**
 * Installs what is missing, and says so in one line; ends the process if that fails. Returns
 * whether anything was installed: a process that is already running cannot load it.
 */
export async function install(): Promise<boolean> {
  const missing = await countMissing();
  if (missing === 0) return false;
  const started = performance.now();
  const progress = new CountedLine(missing);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["install", "--frozen"],
    cwd: fileURLToPath(PROJECT),
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const others: string[] = [];
  let rest = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("Initialize ")) progress.step();
      else if (!line.startsWith("Download ")) others.push(line);
    }
  }
  const { success, code } = await child.status;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  progress.end(
    success ? `Installed ${missing} packages in ${seconds} s` : "Cannot install packages",
  );
  if (success) return true;
  console.error([...others, rest].join("\n").trim());
  Deno.exit(code);
}

/** How many packages of deno.lock are missing; each is marked once it is complete. */
async function countMissing(): Promise<number> {
  const { npm } = JSON.parse(await Deno.readTextFile(new URL("deno.lock", PROJECT)));
  const present = await Promise.all(
    Object.keys(npm).map((key) =>
      Deno.stat(new URL(`${folderOf(key)}/.initialized`, INSTALLED)).then(() => true, () => false)
    ),
  );
  return present.filter((isPresent) => !isPresent).length;
}

/** The folder of a package; after its version the key may name its peer packages. */
function folderOf(key: string): string {
  const [nameAndVersion] = /^@?[^@]+@[^_]+/.exec(key)!;
  return encodeURIComponent(nameAndVersion.replaceAll("/", "+"));
}
