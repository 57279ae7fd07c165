import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import project from "../../../deno.json" with { type: "json" };
import { makeItem } from "../../support/app.ts";
import { runHere, runTask } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";
import { startServerByTask } from "../../support/server.ts";

/** Scripts rely on these names. */
const NAMES = [
  ...[
    "start",
    "import",
    "imports",
    "sources",
    "announcements",
    "migrate",
    "embed",
    "search",
    "digest",
    "outbox",
  ],
  ...["subscriptions", "tokens", "webhooks", "backup", "restore"],
  ...["build", "check", "test", "test:processes", "test:browser", "test:faults", "bench"],
];

Deno.test("Every task that scripts rely on exists, and every command has a task", async () => {
  const tasks: Record<string, { command: string; description: string }> = project.tasks;
  for (const name of NAMES) assert(tasks[name], name);
  for (const { description } of Object.values(tasks)) match(description, /^[A-Z].{10,130}$/);
  const { err } = await runHere(["none"], {});
  const commands = /Commands: (.*)$/.exec(err)![1]!.split(", ");
  const started = Object.values(tasks).map(({ command }) => / main\.ts (\w+)$/.exec(command)?.[1]);
  assertEquals(started.filter(Boolean).sort(), commands.sort());
});

Deno.test("No command may start a program or load native code", () => {
  const { server, command } = project.permissions;
  for (const set of [server, command]) {
    assertEquals(Object.keys(set).sort(), ["env", "net", "read", "sys", "write"]);
  }
  for (const { command } of Object.values(project.tasks)) {
    if (command.includes("main.ts")) match(command, / -qP=(?:server|command) --no-prompt /);
  }
});

Deno.test("Arguments reach a command exactly as typed", async () => {
  const words = `it's "$HOME" * $(echo x) ;`;
  assertEquals(await runTask(["outbox", "--retry", words], {}), {
    code: 2,
    out: "",
    err:
      `The id of an email is a UUID, not "${words}". Usage: deno task outbox [--all] [--retry [MAIL-ID]]`,
  });
});

Deno.test("A task handles odd folder and source names and exits on SIGTERM or SIGINT", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const settings = {
      DATA_DIR: join(folder, `a "b" 'c' $(touch d) ü`),
      ROADMAP_SOURCE: join(folder, "my $roadmap.json"),
      SITE_LOGO: join(folder, "my 'logo'.svg"),
    };
    await copyMigrated(settings.DATA_DIR);
    await Deno.writeTextFile(settings.SITE_LOGO, '<svg viewBox="0 0 9 9"></svg>');
    await Deno.writeTextFile(settings.ROADMAP_SOURCE, JSON.stringify([makeItem(1)]));
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      await using server = await startServerByTask(settings);
      const { data } = await (await fetch(`${server.url}/api/releases`)).json();
      assertEquals(data.length, 1);
      match(await (await fetch(server.url)).text(), /<img class="logo"/);
      server.kill(signal);
      assertEquals(await server.ended, 0);
      match(server.output(), /"message":"Stopped"/);
      const { port } = server;
      using free = Deno.listen({ port, hostname: "127.0.0.1" });
      assertEquals((free.addr as Deno.NetAddr).port, port);
    }
    const backup = await runTask(["backup", join(folder, "backup")], settings);
    assertEquals([backup.code, backup.err], [0, ""]);
    match(backup.out, /^Wrote 1 item to /);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
