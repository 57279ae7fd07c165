import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { fileURLToPath } from "node:url";

interface Graph {
  roots: string[];
  modules: {
    specifier: string;
    dependencies?: {
      specifier: string;
      isDynamic?: boolean;
      code?: { specifier: string };
    }[];
  }[];
}

/** What a file loads before it runs, without what it imports only when it needs it. */
async function loadedBy(file: string): Promise<string[]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", file],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
  });
  const { stdout } = await command.output();
  const { roots, modules }: Graph = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set(roots);
  for (const specifier of loaded) {
    for (
      const { isDynamic, code } of byName.get(specifier)?.dependencies ?? []
    ) {
      if (!isDynamic && code && !code.specifier.startsWith("node:")) {
        loaded.add(code.specifier);
      }
    }
  }
  return [...loaded];
}

/** Reads the messages, in which words of the help are written. */
const OF_MESSAGES = "@formatjs/icu-messageformat-parser";

Deno.test("The help of each command, the version and a misspelt command load no package of the service", async () => {
  const loaded = await loadedBy("main.ts");
  assert(
    loaded.some((specifier) => specifier.endsWith("/commands/helps.ts")),
    loaded.join("\n"),
  );
  const packages = loaded.filter((specifier) => specifier.includes("/node_modules/"));
  assertEquals(
    packages.filter((specifier) => !specifier.includes(`/node_modules/${OF_MESSAGES}/`)),
    [],
  );
});
