/// <reference lib="deno.unstable" />
/**
 * `deno task build`: bundles the islands, with a script for each file of islands/entries and for
 * what they share. The result is one file, replaced atomically: servers and other builds see the
 * old one or the new one, never half of one. If nothing has changed, it is kept.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { BUILT, type BuiltIslands, hashedName } from "../lib/http/assets.ts";

const PROJECT = new URL("../", import.meta.url);
const ENTRIES = new URL("islands/entries/", PROJECT);
/** What the result depends on besides the sources of the islands and the version of Deno. */
const SETTINGS = ["deno.json", "deno.lock", "tools/build.ts"];

if (import.meta.main) await build();

async function build(): Promise<void> {
  const entries = [...Deno.readDirSync(ENTRIES)].map(({ name }) => new URL(name, ENTRIES)).sort();
  const inputs = await hashInputs(entries);
  if (await readBuiltInputs() === inputs) return;
  const { islands, scripts } = publish(await bundle(entries));
  try {
    await replaceFile(BUILT, JSON.stringify({ inputs, islands, scripts }));
  } catch (error) {
    console.error(
      `Cannot write dist/islands.json: ${(error as Error).message.split(" (os error")[0]}. ` +
        "Run `deno task build` where that can be written, or give this user the folder dist",
    );
    Deno.exit(1);
  }
  console.log(`Built ${entries.length} islands: ${Object.keys(islands).sort().join(", ")}`);
}

/** A hash of everything that the result depends on. */
async function hashInputs(entries: readonly URL[]): Promise<string> {
  const hash = createHash("sha256").update(Deno.version.deno);
  const sources = await readSources(entries);
  for (const name of SETTINGS) sources.set(name, await Deno.readTextFile(new URL(name, PROJECT)));
  for (const [name, text] of [...sources].sort()) hash.update(JSON.stringify([name, text]));
  return hash.digest("hex");
}

/** The text of some files and of all that they import from the project, by path. */
async function readSources(entries: readonly URL[]): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const path = file.href.slice(PROJECT.href.length);
    if (sources.has(path)) continue;
    const text = await Deno.readTextFile(file);
    sources.set(path, text);
    const imported = text.matchAll(/\b(?:from|import)\s*\(?"(\.{1,2}\/[^"]+)"/g);
    for (const [, specifier] of imported) waiting.push(new URL(specifier!, file));
  }
  return sources;
}

/** The hash stored in the existing result; null if there is none that can be read. */
async function readBuiltInputs(): Promise<string | null> {
  try {
    return JSON.parse(await Deno.readTextFile(BUILT)).inputs;
  } catch {
    return null;
  }
}

/** Bundles without writing anything; the scripts by their names. */
async function bundle(entries: readonly URL[]): Promise<Map<string, string>> {
  const { success, errors, outputFiles = [] } = await Deno.bundle({
    entrypoints: entries.map((file) => fileURLToPath(file)),
    outputDir: "dist",
    platform: "browser",
    codeSplitting: true,
    minify: true,
    write: false,
  });
  if (!success) {
    console.error(errors.map(({ text }) => text).join("\n"));
    Deno.exit(1);
  }
  return new Map(outputFiles.map((file) => [file.path.split(/[/\\]/).at(-1)!, file.text()]));
}

/** Names the scripts by a hash of their content, and lists which of them each island needs. */
function publish(scripts: ReadonlyMap<string, string>): Omit<BuiltIslands, "inputs"> {
  const islands: Record<string, string[]> = {};
  const published: Record<string, string> = {};
  for (const [name, text] of scripts) {
    // The bundler already names shared chunks by their content, and imports them by that name.
    const isShared = name.startsWith("chunk-");
    const publishedName = isShared ? name : hashedName(name, text);
    published[publishedName] = text;
    if (isShared) continue;
    islands[name.replace(/\.js$/, "")] = [publishedName, ...importedBy(text, scripts)];
  }
  return { islands, scripts: published };
}

/** All that a script imports, and what that imports in turn. */
function importedBy(text: string, scripts: ReadonlyMap<string, string>): string[] {
  const direct = [...scripts.keys()].filter((name) => text.includes(`"./${name}"`));
  return [
    ...new Set(direct.flatMap((name) => [name, ...importedBy(scripts.get(name)!, scripts)])),
  ];
}

/** Readers see either the old content or the new one, whatever happens. */
async function replaceFile(file: URL, text: string): Promise<void> {
  await Deno.mkdir(new URL("./", file), { recursive: true });
  const unfinished = new URL(`${file.href}.${crypto.randomUUID()}`);
  try {
    await Deno.writeTextFile(unfinished, text);
    await Deno.rename(unfinished, file);
  } catch (error) {
    await Deno.remove(unfinished).catch(() => {});
    throw error;
  }
}
