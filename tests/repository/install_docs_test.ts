import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolder } from "../support/folder.ts";
import { slowTest } from "../support/slow.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
/** All paths of an installation. */
const PATHS = [
  "/etc/roadcast.env",
  "/opt/roadcast",
  "/usr/local/bin/roadcast",
  "/var/cache/roadcast",
  "/var/lib/roadcast",
];
/** Commands that need root, a network or systemd, none of which a test has. */
const STUBS = ["useradd", "git", "deno", "chown", "systemctl", "roadcast"];

/** The shell blocks of the section about systemd. */
async function readBlocks(): Promise<string[]> {
  const text = await Deno.readTextFile(join(PROJECT, "docs/install.md"));
  const section = text.split(/^## /m).find((section) => section.startsWith("systemd"))!;
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => lines!);
}

/** Runs shell lines as written, with another folder in place of `/`. */
async function runIn(root: string, lines: string): Promise<void> {
  const moved = lines.replaceAll(
    /(?<=[\s"=])\/(opt|etc|var|usr)\//g,
    `${root}/$1/`,
  );
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-eu", "-c", moved.replaceAll("<repository>", "repository")],
    env: { PATH: `${join(root, "stubs")}:${Deno.env.get("PATH")}` },
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
}

async function writeStub(
  root: string,
  name: string,
  script: string,
): Promise<void> {
  await Deno.writeTextFile(
    join(root, "stubs", name),
    `#!/bin/sh\n${script}\n`,
    { mode: 0o755 },
  );
}

async function copyUnits(root: string): Promise<void> {
  for (const name of ["roadcast", "roadcast.service", "roadcast@.service"]) {
    await Deno.copyFile(
      join(PROJECT, "deploy", name),
      join(root, "opt/roadcast/deploy", name),
    );
  }
}

slowTest(
  "Installing and updating as documented never touch existing settings",
  async () => {
    await withFolder(async (root) => {
      const folders = [
        "stubs",
        "opt/roadcast/deploy",
        "etc/systemd/system",
        "usr/local/bin",
      ];
      for (const folder of folders) {
        await Deno.mkdir(join(root, folder), { recursive: true });
      }
      for (const name of STUBS) await writeStub(root, name, "exit 0");
      // Only root can change the owner of a file.
      const withoutOwner = 'set -- $(echo " $*" | sed "s/ -[og] [a-z]*//g")';
      await writeStub(
        root,
        "install",
        `${withoutOwner}\nexec /usr/bin/install "$@"`,
      );
      await copyUnits(root);
      const [install, start, update] = await readBlocks();
      const settings = join(root, "etc/roadcast.env");
      await runIn(root, install!);
      assertEquals((await Deno.stat(settings)).mode! & 0o777, 0o640);
      await Deno.writeTextFile(
        settings,
        "BASE_URL=https://roadmap.example.com\n",
      );
      for (const lines of [start!, update!, install!, update!]) {
        await runIn(root, lines);
      }
      assertEquals(
        await Deno.readTextFile(settings),
        "BASE_URL=https://roadmap.example.com\n",
      );
      assertEquals(
        [...Deno.readDirSync(join(root, "etc/systemd/system"))].map((
          { name },
        ) => name).sort(),
        ["roadcast.service", "roadcast@.service"],
      );
    });
  },
);

Deno.test("All documents and units use the same paths", async () => {
  const texts: string[] = [];
  for (const folder of ["docs", "deploy"]) {
    for await (const { name, isFile } of Deno.readDir(join(PROJECT, folder))) {
      if (isFile) {
        texts.push(await Deno.readTextFile(join(PROJECT, folder, name)));
      }
    }
  }
  const named = texts.join("\n").matchAll(
    /(?<![\w.])\/(?:opt|etc|srv|home|root|var\/\w+|usr\/(?:local\/)?\w+)\/roadcast(?:\.env)?/g,
  );
  const paths = [...new Set([...named].map(([path]) => path))].sort();
  assert(texts.length > 15);
  assertEquals(paths, PATHS);
});
