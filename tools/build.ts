/**
 * Second half of `deno task build`: takes the bundled islands from dist/bundle into dist, each under
 * a name that holds a hash of its content, and writes down which scripts each island needs.
 */
import { hashedName, type IslandScripts } from "../lib/http/assets.ts";

const BUNDLE = new URL("../dist/bundle/", import.meta.url);
const DIST = new URL("../dist/", import.meta.url);

if (import.meta.main) await build();

async function build(): Promise<void> {
  await removeOldScripts();
  const scripts = new Map<string, string>();
  for await (const { name } of Deno.readDir(BUNDLE)) {
    scripts.set(name, await Deno.readTextFile(new URL(name, BUNDLE)));
  }
  const islands: Record<string, IslandScripts[string]> = {};
  for (const [name, text] of scripts) {
    // The bundler names what islands share by its content itself, and imports it by that name.
    const isShared = name.startsWith("chunk-");
    const published = isShared ? name : hashedName(name, text);
    await Deno.writeTextFile(new URL(published, DIST), text);
    if (isShared) continue;
    islands[name.replace(/\.js$/, "")] = [published, ...importedBy(text, scripts)];
  }
  await Deno.writeTextFile(new URL("manifest.json", DIST), JSON.stringify(islands, null, 2) + "\n");
  await Deno.remove(BUNDLE, { recursive: true });
  console.log(`Built ${Object.keys(islands).length} islands: ${Object.keys(islands).join(", ")}`);
}

async function removeOldScripts(): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(DIST)) {
    if (isFile) await Deno.remove(new URL(name, DIST));
  }
}

/** All that a script imports, and what that imports in turn. */
function importedBy(text: string, scripts: ReadonlyMap<string, string>): string[] {
  const direct = [...scripts.keys()].filter((name) => text.includes(`"./${name}"`));
  return [
    ...new Set(direct.flatMap((name) => [name, ...importedBy(scripts.get(name)!, scripts)])),
  ];
}
