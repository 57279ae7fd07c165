import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import project from "../../deno.json" with { type: "json" };
import { runTask, startLine } from "../support/command.ts";
import { withFolder } from "../support/folder.ts";
import { waitFor } from "../support/wait_for.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

const hasNpm = await new Deno.Command("npm", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

// Without npm, nobody can install an npm package.
Deno.test({ name: "The npm package serves in an empty folder", ignore: !hasNpm, fn: testPackage });

async function testPackage(): Promise<void> {
  const { code, out, err } = await runTask(["pack"], {});
  assertEquals([code, err], [0, ""]);
  const archive = `dist/roadcast-${project.version}.tgz`;
  assert(out.includes(archive), out);
  await testContents(join(PROJECT, archive));
  await withFolder(async (folder) => {
    // As on a machine that has Node and nothing else.
    const HOME = join(folder, "home");
    await Deno.mkdir(HOME);
    const place = pathToFileURL(`${folder}/app/`);
    await Deno.mkdir(place);
    const settings = { HOME, DENO_DIR: join(HOME, "deno"), HOST: "127.0.0.1", PORT: "0" };
    const run = (line: string) => startLine(line, settings, place);
    const installed = await run(`npm install --no-fund --no-audit ${join(PROJECT, archive)}`)
      .ending;
    assertEquals(installed.code, 0, installed.out);
    await testCommands(run, folder);
    await testServer(run);
  });
}

type Run = (line: string) => ReturnType<typeof startLine>;

/** Checks that it has all it needs, and nothing from tests, secrets or this machine. */
async function testContents(archive: string): Promise<void> {
  const list = await new Deno.Command("tar", { args: ["-tzf", archive] }).output();
  const names = new TextDecoder().decode(list.stdout).trim().split("\n")
    .map((name) => name.replace("package/", ""));
  for (
    const name of [
      "package.json",
      "LICENSE",
      "README.md",
      "main.js",
      "dist/scripts.json",
      "docs/settings.md",
      "docs/roadmap-config.schema.json",
      "migrations/0042_baseline.sql",
      "sample/roadmap.json",
      "lib/database/embedded/pglite_worker.js",
      "lib/import/read_worker.js",
      "lib/pictures/picture_worker.js",
    ]
  ) assert(names.includes(name), name);
  assertEquals(
    names.filter((name) => /\.tsx?$|\.webp$|_test\.|^tests|^bench|\.env|^data/.test(name)),
    [],
  );
  await withFolder(async (folder) => {
    await new Deno.Command("tar", { args: ["-xzf", archive, "-C", folder] }).output();
    for (const document of names.filter((name) => name.endsWith(".md"))) {
      const text = await Deno.readTextFile(join(folder, "package", document));
      const links = text.matchAll(/\]\(([^()#:\s]+)(?:#[^()]*)?\)|(?:src|srcset)="([^":]+)"/g);
      for (const [link, path, picture] of links) {
        const target = join(folder, "package", document, "..", path ?? picture!);
        const isThere = await Deno.stat(target).then(() => true, () => false);
        assert(isThere, `${document}: ${link}`);
      }
    }
    match(
      await Deno.readTextFile(join(folder, "package", "README.md")),
      /\*\*Change it\*\*: CONTRIBUTING\.md, \[architecture\]\(docs\/ARCHITECTURE\.md\)$/m,
    );
  });
  const text = await new Deno.Command("sh", {
    args: ["-c", 'tar -xzOf "$1" | grep -aoF "$2" | head -n 1', "sh", archive, PROJECT],
  }).output();
  assertEquals(new TextDecoder().decode(text.stdout), "");
}

async function testCommands(run: Run, folder: string): Promise<void> {
  match(
    (await run("npx roadcast --version").ending).out,
    /^Roadcast \d+\.\d+\.\d+( \([0-9a-f]{7}\))?$/m,
  );
  match((await run("npx roadcast --help").ending).out, /^ {2}import +Imports? /m);
  match((await run("npx roadcast import --help").ending).out, /^Usage: npx roadcast import FILE/m);
  const unknown = await run("npx roadcast improt").ending;
  assertEquals(unknown.code, 2);
  match(unknown.out, /^Unknown command "improt"\. Commands: serve, import, /m);
  const missing = await run("npx roadcast import roadmap.json").ending;
  assertEquals(missing.code, 1);
  match(missing.out, /^Cannot read roadmap\.json: there is no such file$/m);
  const roadmap = join(folder, "app", "own.json");
  await Deno.writeTextFile(
    roadmap,
    JSON.stringify([{
      release_item_id: "c64ac2a7-b3c2-4a2e-8d3c-5d3a2b9a1f00",
      feature_name: "Its own feature",
      release_type: "General availability",
      release_status: "Planned",
      product_name: "Its own product",
    }]),
  );
  const imported = await run("npx roadcast import own.json").ending;
  assertEquals(imported.code, 0, imported.out);
  match(imported.out, /^Imported own\.json as of \S+: 1 added/m);
}

/** Checks that the server serves the imported item, and exits on SIGTERM. */
async function testServer(run: Run): Promise<void> {
  const server = run("exec node_modules/.bin/roadcast");
  const address = /"address":"127\.0\.0\.1:(\d+)"/;
  await waitFor("the server", () => address.test(server.output()));
  const [, port] = address.exec(server.output())!;
  const response = await fetch(`http://127.0.0.1:${port}/api/releases`);
  const { data } = await response.json();
  assertEquals(data.map((item: { feature_name: string }) => item.feature_name), [
    "Its own feature",
  ]);
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  const script = /src="([^"]+\.js)"/.exec(page)![1]!;
  const scripts = await fetch(new URL(script, `http://127.0.0.1:${port}/`));
  assertEquals(scripts.status, 200);
  await scripts.body?.cancel();
  server.kill("SIGTERM");
  assertEquals(await server.ended, 0, server.output());
}
