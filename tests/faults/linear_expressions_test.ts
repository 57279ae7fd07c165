/// <reference lib="deno.unstable" />
import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { check } from "recheck";
import project from "../package.json" with { type: "json" };

/** The settings are the operator's own texts, and short. */
const OWN_TEXTS = /^lib\/config\//;
/** How long the checker may think about one expression, before it guesses: far more than on a machine of its own. */
const TIMEOUT_MS = 400_000;
/**
 * The version of the checker, and what it has found safe: a verdict depends on nothing else, and all
 * of them take minutes. Only what is not in this file is checked; UPDATE_GOLDEN=1 adds it.
 */
const KNOWN = new URL("../golden/linear_expressions.txt", import.meta.url);

// The checker's own program for this machine would be looked for otherwise.
Deno.env.set("RECHECK_BACKEND", "pure");

Deno.test("Every regular expression takes time in proportion to the text", async () => {
  const version = `recheck ${project.devDependencies.recheck}`;
  const [ofVersion, ...lines] = (await readFile(KNOWN, "utf8")).trimEnd().split("\n");
  const known = new Set(ofVersion === version ? lines : []);
  const found: string[] = [];
  const checked = new Set<string>();
  for (const path of await listModules()) {
    for (const { source, flags } of expressionsIn(path, await readFile(path, "utf8"))) {
      const expression = `/${source}/${flags}`;
      if (checked.has(expression)) continue;
      checked.add(expression);
      if (known.has(expression)) continue;
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
  if (Deno.env.has("UPDATE_GOLDEN")) {
    await writeFile(KNOWN, [version, ...[...checked].sort(), ""].join("\n"));
  }
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
