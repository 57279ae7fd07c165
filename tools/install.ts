/**
 * `deno task install`: installs the packages of deno.lock, and `deno task install:tests` those of
 * tests/deno.lock, unless that has been done. The benchmark of relevance installs bench/deno.lock,
 * and `deno task lighthouse` tests/lighthouse/deno.lock.
 */
import { fileURLToPath } from "node:url";
import { CountedLine } from "./counted_line.ts";

const PROJECT = new URL("../", import.meta.url);

const TLS_ADVICE =
  "Something between this machine and the registry presents its own certificate. " +
  "Set DENO_TLS_CA_STORE=system to trust what this machine trusts, or DENO_CERT to the file of " +
  "its authority. See docs/install.md";

/** The folders with packages of their own. */
type Folder = "." | "tests/" | "tests/lighthouse/" | "bench/";

if (import.meta.main) {
  await install(Deno.args.length > 0 ? `${Deno.args[0]}/` as Folder : ".");
}

/** Installs what is missing in a folder, and says so in one line; ends the process if that fails. */
export async function install(folder: Folder = "."): Promise<void> {
  const place = new URL(folder, PROJECT);
  const missing = await countMissing(place);
  if (missing === 0) return;
  const started = performance.now();
  const progress = new CountedLine(missing);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["install", "--frozen"],
    cwd: fileURLToPath(place),
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
  if (success) return;
  const reason = [...others, rest].join("\n").trim();
  console.error(reason);
  if (reason.includes("invalid peer certificate")) console.error(TLS_ADVICE);
  Deno.exit(code);
}

/** How many packages of deno.lock are missing; each is marked once it is complete. */
async function countMissing(place: URL): Promise<number> {
  const { npm } = JSON.parse(await Deno.readTextFile(new URL("deno.lock", place)));
  const installed = new URL("node_modules/.deno/", place);
  const present = await Promise.all(
    Object.keys(npm).map((key) =>
      Deno.stat(new URL(`${folderOf(key)}/.initialized`, installed)).then(() => true, () => false)
    ),
  );
  return present.filter((isPresent) => !isPresent).length;
}

/** The folder of a package; after its version the key may name its peer packages. */
function folderOf(key: string): string {
  const [nameAndVersion] = /^@?[^@]+@[^_]+/.exec(key)!;
  return encodeURIComponent(nameAndVersion.replaceAll("/", "+"));
}
