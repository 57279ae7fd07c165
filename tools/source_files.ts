import { dirname, isAbsolute, join } from "node:path";

// A process of its own, which may read the file of ROADMAP_CONFIG and nothing else.
if (import.meta.main) console.log(JSON.stringify(await readSourceFiles(Deno.args[0]!)));

/** The files that ROADMAP_CONFIG names; none if it cannot be read: the command reports why. */
export async function readSourceFiles(config: string): Promise<string[]> {
  try {
    const text = await Deno.readTextFile(config);
    const { sources } = JSON.parse(text.replace(/^\uFEFF/, "")) as { sources: { from: string }[] };
    return sources.map(({ from }) => from.trim()).filter(isFile)
      .map((path) => isAbsolute(path) ? path : join(dirname(config), path));
  } catch {
    return [];
  }
}

/** Tells whether a source is a file, rather than an address or a repository. */
export function isFile(source: string): boolean {
  return !/^(https?|github):/i.test(source);
}
