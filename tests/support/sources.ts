import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** The program's own files of TypeScript, by path. */
export function readSources(): { path: string; text: string }[] {
  return ["routes", "islands", "scripts", "components", "lib", "commands"].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return { path: file.slice(PROJECT.length), text: Deno.readTextFileSync(file) };
      })
  );
}
