import { parseEnv } from "node:util";
import project from "../deno.json" with { type: "json" };

const { command } = project.tasks.start;
const { DENO_V8_FLAGS } = parseEnv(
  Deno.readTextFileSync(new URL("../deploy/memory.env", import.meta.url)),
);

/** How the tasks `start` and `import` have V8 manage memory; docs/operation.md, "Memory", says why. */
export const V8_FLAGS = DENO_V8_FLAGS!;

/** How they have malloc manage it, which reads its settings before anything else runs. */
export const MALLOC_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  [...command.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
);
