import { dirname, isAbsolute, join } from "node:path";

// A process of its own, which may read the file of ROADMAP_CONFIG and nothing else.
if (import.meta.main) {
  const [config] = Deno.args;
  const sourceFiles = await readSourceFiles(config!);
  console.log(JSON.stringify({ sourceFiles, variables: await readSourceVariables(config!) }));
}

/** A source as ROADMAP_CONFIG has it, before it is checked. */
interface RawSource {
  from: string;
  headers?: Record<string, string>;
}

/** The files that ROADMAP_CONFIG names; none if it cannot be read: the command reports why. */
export async function readSourceFiles(config: string): Promise<string[]> {
  const paths = await readSources(config, ({ from }) => [from.trim()]);
  return paths.filter(isFile).map((path) => isAbsolute(path) ? path : join(dirname(config), path));
}

/** The environment variables that the headers of the sources name, as `env:NAME`. */
async function readSourceVariables(config: string): Promise<string[]> {
  const values = await readSources(config, ({ headers = {} }) => Object.values(headers));
  return values.flatMap((value) => /^env:(\w+)$/.exec(value)?.[1] ?? []);
}

async function readSources(
  config: string,
  textsOf: (source: RawSource) => string[],
): Promise<string[]> {
  try {
    const text = await Deno.readTextFile(config);
    const { sources } = JSON.parse(text.replace(/^\uFEFF/, "")) as { sources: RawSource[] };
    return sources.flatMap(textsOf);
  } catch {
    return [];
  }
}

/** Whether a source is a file, rather than an address or a repository. */
export function isFile(source: string): boolean {
  return !/^(https?|github|gitlab|jira):/i.test(source);
}
