/** `npx roadcast import` and the like: the npm package has its packages and scripts already. */
import { fileURLToPath } from "node:url";
import { prepareEnvironment, runCommand } from "./run_command.ts";

if (import.meta.main) {
  await prepareEnvironment();
  Deno.exit(await runCommand(nameCommand(Deno.args), { folder: findPackages() }));
}

/** Without a command it serves. */
function nameCommand(words: readonly string[]): readonly string[] {
  const isNamed = words[0] !== undefined && !words[0].startsWith("-");
  return isNamed || words[0] === "--help" || words[0] === "-h" ? words : ["serve", ...words];
}

/** The outermost node_modules that this package is in, where the packages are that it needs. */
function findPackages(): string {
  const path = fileURLToPath(import.meta.url);
  const [before] = path.split(/(?<=[/\\]node_modules)[/\\]/);
  return before!;
}
