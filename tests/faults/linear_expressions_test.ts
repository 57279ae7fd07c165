/// <reference lib="deno.unstable" />
import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { check } from "recheck";

/** The settings are the operator's own texts, and short. */
const OWN_TEXTS = /^lib\/config\//;
/** How long the checker may think about one expression, before it guesses: far more than on a machine of its own. */
const TIMEOUT_MS = 400_000;

// The checker's own program for this machine would be looked for otherwise.
Deno.env.set("RECHECK_BACKEND", "pure");

Deno.test("Every regular expression takes time in proportion to the text", async () => {
  const found: string[] = [];
  const checked = new Set<string>();
  for (const path of await listModules()) {
    for (const { source, flags } of expressionsIn(path, await readFile(path, "utf8"))) {
      const expression = `/${source}/${flags}`;
      if (checked.has(expression)) continue;
      checked.add(expression);
      const checkup = await check(source, flags, { timeout: TIMEOUT_MS });
      if (checkup.status === "safe") continue;
      const reason = checkup.status === "vulnerable"
        ? checkup.complexity.summary
        : "too much for the checker";
      found.push(`${path}: ${expression} is ${reason}`);
    }
  }
  assertEquals(found, []);
  assertEquals(checked.size > 300, true);
});

async function listModules(): Promise<string[]> {
  const folders = ["lib", "routes", "islands"].map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((name) => `${folder}/${name}`)
  );
  const names = (await Promise.all(folders)).flat();
  return names.filter((name) => /\.tsx?$/.test(name) && !OWN_TEXTS.test(name)).sort();
}

/** The expressions that are written as literals. */
function expressionsIn(path: string, text: string): RegExp[] {
  const found: RegExp[] = [];
  const collect: Deno.lint.Rule = {
    create: () => ({
      Literal: ({ value }) => value instanceof RegExp && found.push(value),
    }),
  };
  Deno.lint.runPlugin({ name: "expressions", rules: { collect } }, path, text);
  return found;
}
