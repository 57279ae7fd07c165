/// <reference lib="deno.unstable" />
/**
 * `deno task build`: bundles a script for each file of scripts/, for each island, which it hydrates,
 * and for what islands share. The result is one file, replaced atomically: servers and other builds see
 * the old one or the new one, never half of one. If nothing has changed, it is kept.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type BuildFile, BUILT, type BuiltScripts } from "../lib/http/assets/assets.ts";
import { KNOWN } from "../lib/text/message_keys.ts";
import { VERSION } from "../lib/version.ts";

const PROJECT = new URL("../", import.meta.url);
const SCRIPTS = new URL("scripts/", PROJECT);
const ISLANDS = new URL("islands/", PROJECT);
const HYDRATION = new URL("components/hydrate_island.ts", PROJECT);
/** The bundler takes files only, so what it begins with is written for a moment. */
const ENTRIES = new URL(`dist/entries-${crypto.randomUUID()}/`, PROJECT);
/** What the result depends on besides the sources of the islands and the version of Deno. */
const SETTINGS = ["deno.json", "deno.lock", "messages/en.json", "tools/build.ts"];

if (import.meta.main) await build();

async function build(): Promise<void> {
  const entries = [...filesIn(SCRIPTS), ...filesIn(ISLANDS)];
  const inputs = await hashInputs([...entries, HYDRATION]);
  if (await readBuiltInputs() === inputs) return;
  try {
    const bundled = await bundleAll();
    if (bundled === null) Deno.exit(1);
    const built: BuildFile = { version: VERSION, inputs, ...await publish(bundled) };
    await replaceFile(BUILT, JSON.stringify(built));
    console.log(`Built ${entries.length} scripts: ${Object.keys(built.scripts).sort().join(", ")}`);
  } catch (error) {
    console.error(
      `Cannot write dist/scripts.json: ${(error as Error).message.split(" (os error")[0]}. ` +
        "Run `deno task build` where that can be written, or give this user the folder dist",
    );
    Deno.exit(1);
  }
}

/** What scripts and islands have in common is in both: a file of its own would cost more to load. */
async function bundleAll(): Promise<Map<string, string> | null> {
  try {
    const scripts = await bundle(
      await writeEntries(SCRIPTS, (file) => `export * from "${file}";\n`),
    );
    const islands = await bundle(await writeEntries(ISLANDS, hydrationOf));
    return scripts && islands && new Map([...scripts, ...islands]);
  } finally {
    await Deno.remove(ENTRIES, { recursive: true }).catch(() => {});
  }
}

function filesIn(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => new URL(name, folder)).sort();
}

/** Writes what the bundler begins with for the files of a folder, and returns the places. */
async function writeEntries(folder: URL, textOf: (file: URL) => string): Promise<URL[]> {
  await Deno.mkdir(ENTRIES, { recursive: true });
  return await Promise.all(
    filesIn(folder).map(async (file) => {
      const entry = new URL(`${nameOf(file)}.ts`, ENTRIES);
      await Deno.writeTextFile(entry, textOf(file));
      return entry;
    }),
  );
}

/** A script that hydrates an island. */
function hydrationOf(island: URL): string {
  return [
    `import { hydrateIsland } from "${HYDRATION}";`,
    `import Island from "${island}";`,
    `hydrateIsland("${nameOf(island)}", Island);\n`,
  ].join("\n");
}

function nameOf({ pathname }: URL): string {
  return pathname.split("/").at(-1)!.replace(/\.tsx?$/, "");
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

/** Bundles without writing anything; the scripts by their names, or null if that failed. */
async function bundle(entries: readonly URL[]): Promise<Map<string, string> | null> {
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
    return null;
  }
  return new Map(outputFiles.map((file) => [file.path.split(/[/\\]/).at(-1)!, file.text()]));
}

/** Lists which files each script needs, and which messages: these have numbers in a file. */
async function publish(bundled: ReadonlyMap<string, string>): Promise<BuiltScripts> {
  const keys = await usedKeys([...bundled.values()]);
  const numbers = new Map(keys.map((key, number) => [`"${key}"`, number]));
  const scripts: BuiltScripts["scripts"] = {};
  const texts: Record<string, string> = {};
  const used = new Map<string, number[]>();
  for (const [name, text] of bundled) {
    const own = new Set<number>();
    // Behind a letter, as in `case"list.empty"`, a number needs a space.
    texts[name] = text.replace(/([\w$]?)("[a-z_]+\.[a-z_0-9]+")/g, (all, before, word) => {
      const number = numbers.get(word);
      if (number === undefined) return all;
      own.add(number);
      return before === "" ? String(number) : `${before} ${number}`;
    });
    used.set(name, [...own]);
  }
  for (const name of bundled.keys()) {
    // The bundler names shared chunks by their content, and imports them by that name.
    if (name.startsWith("chunk-")) continue;
    const files = [name, ...importedBy(texts[name]!, texts)];
    scripts[name.replace(/\.js$/, "")] = {
      files,
      messages: [...new Set(files.flatMap((file) => used.get(file)!))].sort((a, b) => a - b),
    };
  }
  return { keys, scripts, files: texts };
}

/** The keys of all messages that scripts name. */
async function usedKeys(texts: readonly string[]): Promise<string[]> {
  const english = JSON.parse(await Deno.readTextFile(new URL("messages/en.json", PROJECT)));
  return [...Object.keys(english), ...KNOWN].filter((key) =>
    texts.some((text) => text.includes(`"${key}"`))
  ).sort();
}

/** All that a script imports, and what that imports in turn. */
function importedBy(text: string, texts: Readonly<Record<string, string>>): string[] {
  const direct = Object.keys(texts).filter((name) => text.includes(`"./${name}"`));
  return [...new Set(direct.flatMap((name) => [name, ...importedBy(texts[name]!, texts)]))];
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
