#!/usr/bin/env node
// `npx roadcast`: runs a command with the Deno that npm installed beside this package.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { join } = require("node:path");
const { memory } = require("../package.json");

const project = join(__dirname, "..");
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
const words = process.argv.slice(2);
// Without a command it serves.
const command = words[0]?.startsWith("-") ? "serve" : words[0] ?? "serve";
const needsMemory = command === "serve" || command === "import";

let deno;
try {
  deno = require("deno/install_api.cjs").runInstall();
} catch (error) {
  console.error(`Roadcast cannot find Deno on this system: ${error.message}`);
  process.exit(1);
}
const child = spawn(deno, [
  "run",
  // Deno looks for no configuration in node_modules.
  `--config=${join(project, "deno.json")}`,
  `-qP=${command === "serve" ? "server" : "command"}`,
  "--no-prompt",
  ...needsMemory ? [`--v8-flags=${memory.v8Flags}`] : [],
  join(project, "main.js"),
  ...words,
], { stdio: "inherit", env: { ...process.env, ...needsMemory && memory.variables } });
child.on("error", (error) => {
  console.error(`Roadcast cannot start Deno: ${error.message}`);
  process.exit(1);
});
// A terminal sends its signals to all of its processes; a supervisor knows only this one.
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
