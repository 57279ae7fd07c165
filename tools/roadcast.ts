/**
 * `deno task import` and the like: runs a command of main.ts once the packages are there, and a
 * server once the scripts of its pages are built.
 */
import { install } from "./install.ts";
import { prepareEnvironment, runCommand, runDeno } from "./run_command.ts";

if (import.meta.main) {
  await prepareEnvironment();
  await install();
  const buildServer = () => runDeno(["task", "--quiet", "build"]);
  Deno.exit(await runCommand(Deno.args, { folder: ".", buildServer }));
}
