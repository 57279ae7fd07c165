import { noteLeftTests } from "./slow.ts";
import { failTestsThatLeaveRejections } from "./unhandled.ts";

const TESTS = new URL("../", import.meta.url);
/** More than run at once, so that a shard of long tests does not end alone. */
const SHARDS = 8;

/** Folders whose tests have a separate task, or that have none. */
const OTHERS = ["browser", "controls", "faults", "lighthouse", "processes", "shards"];

/**
 * Registers every eighth test file in one process, starting with this one (0 to 7). The files of a
 * shard share their modules and one embedded database, which `deno test` would load again for each.
 */
export async function registerShard(first: number): Promise<void> {
  failTestsThatLeaveRejections();
  const folders = [...Deno.readDirSync(TESTS)]
    .filter(({ name, isDirectory }) => isDirectory && !OTHERS.includes(name));
  const files = folders
    .flatMap(({ name: folder }) =>
      [...Deno.readDirSync(new URL(`${folder}/`, TESTS))].map(({ name }) => `${folder}/${name}`)
    )
    .filter((path) => path.endsWith("_test.ts"))
    .sort();
  for (let index = first; index < files.length; index += SHARDS) {
    await import(new URL(files[index]!, TESTS).href);
  }
  noteLeftTests();
}
