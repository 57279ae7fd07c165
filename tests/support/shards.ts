const TESTS = new URL("../", import.meta.url);
const SHARDS = 4;

/**
 * Registers the tests of every fourth file of tests/, from this one on (0 to 3). The files of a
 * shard share their modules and one embedded database, which `deno test` would load anew for each.
 */
export async function registerShard(first: number): Promise<void> {
  const files = [...Deno.readDirSync(TESTS)]
    .map(({ name }) => name)
    .filter((name) => name.endsWith("_test.ts"))
    .sort();
  for (let index = first; index < files.length; index += SHARDS) {
    await import(new URL(files[index]!, TESTS).href);
  }
}
