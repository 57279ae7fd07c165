import project from "../deno.json" with { type: "json" };

const { command } = project.tasks.start;

/** How the tasks `start` and `import` have V8 manage memory; docs/operation.md, "Memory", says why. */
export const V8_FLAGS = /--v8-flags=(\S+)/.exec(command)![1]!;

/** How they have malloc manage it. */
export const MALLOC_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  [...command.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
);
