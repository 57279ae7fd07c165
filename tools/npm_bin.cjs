#!/usr/bin/env node
// `npx roadcast`: runs a command with the Deno that npm installed beside this package.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { join } = require("node:path");

const project = join(__dirname, "..");
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

let deno;
try {
  deno = require("deno/install_api.cjs").runInstall();
} catch (error) {
  console.error(`Roadcast cannot find Deno on this system: ${error.message}`);
  process.exit(1);
}
const child = spawn(deno, [
  "run",
  "--quiet",
  "--no-prompt",
  `--allow-read=${project},.`,
  "--allow-env",
  `--allow-run=${deno}`,
  join(__dirname, "npm_command.js"),
  ...process.argv.slice(2),
], { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`Roadcast cannot start Deno: ${error.message}`);
  process.exit(1);
});
// A terminal sends its signals to all of its processes; a supervisor knows only this one.
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
