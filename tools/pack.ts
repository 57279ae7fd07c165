/**
 * `deno task pack`: makes `dist/roadcast-VERSION.tgz`, the npm package that `npx roadcast` runs. Deno
 * runs no TypeScript in node_modules, so the package has the same modules as JavaScript.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packTar } from "modern-tar";
import { readCommit } from "../lib/version.ts";
import { MALLOC_VARIABLES, V8_FLAGS } from "./start_task.ts";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
const FOLDERS = ["commands", "components", "islands", "lib", "routes"];
const MODULES = ["main.ts"];
const ASSETS = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "docs",
  "dist/scripts.json",
  "lib/search/word_vectors.LICENSE.txt",
  "lib/search/word_vectors.bin",
  "messages",
  "migrations",
  "sample",
  "static",
  "tools/npm_bin.cjs",
];
const settings = JSON.parse(await Deno.readTextFile(join(PROJECT, "deno.json")));
/** The same files make the same package; npm dates them so too. */
const MODIFIED = new Date("1985-10-26T08:15:00Z");

if (import.meta.main) await pack();

async function pack(): Promise<void> {
  const code = [...MODULES, ...FOLDERS.flatMap(listFiles)];
  const modules = code.filter((file) => /\.tsx?$/.test(file));
  // Modules import data from beside them.
  const data = code.filter((file) => file.endsWith(".json"));
  const files = new Map<string, string | Uint8Array>([
    ["package.json", formatJson(describePackage())],
    ["deno.json", formatJson(describeProject())],
    ...await transpile(modules),
  ]);
  for (const file of [...ASSETS.flatMap(listFiles), ...data]) {
    if (/\.(webp|png)$/.test(file) && file.startsWith("docs/")) continue;
    files.set(file, await Deno.readFile(join(PROJECT, file)));
  }
  for (const [file, body] of files) {
    if (!file.endsWith(".md")) continue;
    files.set(file, keepLinksWithin(files, file, new TextDecoder().decode(body as Uint8Array)));
  }
  const commit = readCommit();
  if (commit) files.set("dist/commit", commit);
  const archive = await compress(
    await packTar([...files].map(([name, body]) => ({
      header: {
        name: `package/${name}`,
        size: new Blob([body as BlobPart]).size,
        mtime: MODIFIED,
        mode: name.endsWith(".cjs") ? 0o755 : 0o644,
      },
      body,
    }))),
  );
  const target = `dist/roadcast-${settings.version}.tgz`;
  await Deno.writeFile(join(PROJECT, target), archive);
  const size = (archive.length / 1024).toFixed(0);
  console.log(`Packed ${files.size} files into ${target} (${size} KB)`);
}

/** The files of a folder and its folders, or the file itself, by their paths in the project. */
function listFiles(path: string): string[] {
  const place = join(PROJECT, path);
  if (Deno.statSync(place).isFile) return [path];
  return [...Deno.readDirSync(place)].map(({ name }) => name).sort()
    .flatMap((name) => listFiles(`${path}/${name}`));
}

/** A document without its pictures, and of links to what the package lacks only their words. */
function keepLinksWithin(
  files: ReadonlyMap<string, unknown>,
  document: string,
  text: string,
): string {
  const names = [...files.keys()];
  const isThere = (link: string) => {
    const path = join(dirname(document), link.split("#")[0]!);
    return names.some((name) => name === path || name.startsWith(`${path}/`));
  };
  const blocks = text.split("\n\n")
    .filter((block) => !/^<picture>|!\[[^\]]*\]\([^():]+\)/.test(block));
  return blocks.join("\n\n").replace(
    /\[([^[\]]*)\]\(([^()#:\s][^():\s]*)\)/g,
    (whole, words, link) => isThere(link) ? whole : words,
  );
}

/** Modules as JavaScript, by their new paths. */
async function transpile(modules: readonly string[]): Promise<[string, string][]> {
  const folder = await Deno.makeTempDir({ prefix: "roadcast-pack-" });
  try {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["transpile", "--quiet", "--source-map", "none", "--outdir", folder, ...modules],
      cwd: PROJECT,
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return await Promise.all(modules.map(async (module): Promise<[string, string]> => {
      const name = module.replace(/\.tsx?$/, ".js");
      const text = await Deno.readTextFile(join(folder, name));
      return [name, nameCommands(text.replace(/("\.{1,2}\/[^"\s]+)\.tsx?"/g, '$1.js"'))];
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The command that the package names is what it is run by. */
function nameCommands(text: string): string {
  return text.replaceAll("deno task start", "npx roadcast").replaceAll(
    "deno task ",
    "npx roadcast ",
  );
}

/** The manifest of the package, with the versions that deno.json pins. */
function describePackage(): Record<string, unknown> {
  const packages = (Object.values(settings.imports) as string[])
    .map((specifier) => /^npm:(@?[^@]+)@(.+)$/.exec(specifier)!.slice(1) as [string, string])
    .filter(([name]) => !name.startsWith("@types/"));
  return {
    name: "roadcast",
    version: settings.version,
    description: "A self-hosted service that follows release roadmaps and shows what changed",
    keywords: ["roadmap", "releases", "changelog", "rss", "self-hosted"],
    license: settings.license,
    type: "module",
    bin: { roadcast: "tools/npm_bin.cjs" },
    engines: { node: ">=20" },
    // How tools/npm_bin.cjs starts a server or an import.
    memory: { v8Flags: V8_FLAGS, variables: MALLOC_VARIABLES },
    dependencies: Object.fromEntries([...packages, ["deno", Deno.version.deno]].sort()),
  };
}

/** How Deno runs the package. */
function describeProject(): Record<string, unknown> {
  const { version, unstable, nodeModulesDir, permissions } = settings;
  return { version, nodeModulesDir, unstable, permissions, lock: false };
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function compress(archive: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([archive as BlobPart]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).bytes();
}
