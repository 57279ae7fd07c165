/**
 * Runs the commands that README.md and docs/*.md show, and compares their output.
 *
 * A block of commands with a prompt (`$ `) needs a line in EXAMPLES: its document, its first
 * command, and the state in which its commands run, one after the other, in a copy of the project
 * (tests/support/documents/document_servers.ts, tests/support/documents/document_databases.ts).
 * Output that differs from run to run is masked. An example that no test can run names the test
 * that shows it instead. A `curl` to localhost:8000 in a block
 * without a prompt needs no line: it is sent to a server with the sample, and a block of JSON that
 * follows it must have the keys and the numbers of the response.
 */
import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { V8_FLAGS } from "../../tools/start_task.ts";
import { startLine } from "../support/command.ts";
import { makeDatabaseStates } from "../support/documents/document_databases.ts";
import { makePlace, type State, type Surroundings } from "../support/documents/document_place.ts";
import { makeServerStates } from "../support/documents/document_servers.ts";
import {
  hasPrompt,
  readCommands,
  readDocuments,
  readShownCommands,
} from "../support/documents/documents.ts";
import { withFolder } from "../support/folder.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { copyProject } from "../support/project_copy.ts";

const PROJECT = new URL("../../", import.meta.url);
type States = ReturnType<typeof makeStates>;

/** By document and first command: the name of a state, or the test that shows it instead. */
const EXAMPLES: Record<string, keyof States | { shownBy: string }> = {
  "docs/announcements.md: deno task announcements": {
    shownBy: "tests/processes/commands/announcement_commands_test.ts",
  },
  "docs/sources.md: deno task import my-roadmap.json --as-of 2026-11-20": "empty",
  'docs/operation.md: curl -X POST https://roadmap.example.com/api/work -H "Authorization: Bearer $ADMIN_TOKEN"':
    "dueWork",
  "docs/subscriptions.md: deno task digest": "unreadChanges",
  "docs/operation.md: deno task imports --limit 2": "failedImport",
  "docs/operation.md: curl localhost:8000/ready": "freshServer",
  "docs/operation.md: curl -X POST 'https://roadmap.example.com/api/import?as_of=2026-11-20'":
    "takingServer",
  "docs/operation.md: deno task doctor": "unwell",
  "docs/operation.md: deno task imports": "olderDatabase",
  "docs/operation.md: deno task import large.json": { shownBy: "tests/faults/full_disk_test.ts" },
  "docs/operation.md: deno task backup /backups/roadcast-2026-11-21": "twoItems",
  "docs/internals/pages.md: deno task build": "unbuilt",
  "docs/semantic-search.md: deno task embed": "twoItems",
  "docs/semantic-search.md: deno task search vehicle --limit 2": "twoItems",
  "docs/source-kinds.md: deno task import roadmap.json": "otherServer",
  "docs/sources.md: ROADMAP_CONFIG=sources.json deno task start": "wrongSources",
  "docs/sources.md: deno task sources": "twoSources",
  "docs/subscriptions.md: deno task outbox --all": "loggedMail",
  "docs/subscriptions.md: deno task subscriptions --bounced": "twoItems",
  "docs/subscriptions.md: deno task subscriptions --delete ann@example.com": "twoItems",
  "docs/subscriptions.md: deno task subscriptions": "loggedMail",
  "docs/webhooks.md: deno task webhooks add https://example.com/hooks/roadmap --name ops --product-name Gorselight":
    "unreadChanges",
};

Deno.test("The programs print what the documents show", (t) =>
  withFolder(async (folder) => {
    await using stack = new AsyncDisposableStack();
    const { url: project } = stack.use(await copyProject());
    const states = makeStates({ project, folder, stack });
    const path = await makeCurl(folder);
    const run = async (command: string, { settings, replaced = {} }: State): Promise<string> => {
      const pairs = Object.entries(replaced);
      const line = pairs.reduce((line, [from, to]) => line.replaceAll(from, to), command);
      const { out } = await startLine(
        line,
        { ...settings, DENO_V8_FLAGS: V8_FLAGS, PATH: path },
        project,
      ).ending;
      return pairs.reduce((out, [from, to]) => out.replaceAll(to, from), out)
        .replace(/^Task \S+ deno .*\n?/gm, "").trim();
    };

    const used = new Set<string>();
    for (const { path, blocks } of await readDocuments()) {
      for (const [index, block] of blocks.entries()) {
        const requests = readCommands(block).filter((line) => /^curl .*localhost:8000/.test(line));
        if (!hasPrompt(block) && requests.length === 0) continue;
        await t.step(`${path}, line ${block.line}`, async () => {
          if (hasPrompt(block)) {
            const shown = readShownCommands(block);
            const key = `${path}: ${shown[0]!.command.split(" \\\n")[0]}`;
            used.add(key);
            const example = EXAMPLES[key];
            assert(example !== undefined, `EXAMPLES has no line "${key}"`);
            if (typeof example === "object") return assertIsFile(example.shownBy);
            const state = await states[example]();
            for (const { command, output } of shown) {
              assertEquals(maskVarying(await run(command, state)), maskVarying(output), command);
            }
          }
          for (const request of requests) {
            const answer = await run(request, await states.freshServer());
            assert(!/ answered \d+$/.test(answer), answer);
            const next = blocks[index + 1];
            if (next?.language === "json") {
              assertSameKeys(JSON.parse(answer), JSON.parse(next.text), request);
            }
          }
        });
      }
    }
    assertEquals(Object.keys(EXAMPLES).filter((key) => !used.has(key)), [], "no document has it");

    await t.step("docs/subscriptions.md: the email", async () => {
      const { mail } = await states.unreadChanges();
      const [received] = await mail.receive(1);
      assert(linkOf(received!, "/preferences"));
      const page = await Deno.readTextFile(new URL("docs/subscriptions.md", PROJECT));
      const [, shown] = /^```\n(Subject: .*?)^```$/ms.exec(page)!;
      const text = `Subject: ${received!.subject}\n\n${received!.text}`;
      assertEquals(maskVarying(text.trim()), maskVarying(shown!.trim()));
    });
  }));

/** Makes a folder with a `curl`, and returns a PATH that begins with it. */
async function makeCurl(folder: string): Promise<string> {
  const script = fileURLToPath(new URL("../support/curl.ts", import.meta.url));
  const programs = join(folder, "programs");
  await Deno.mkdir(programs);
  const flags = "--quiet --no-prompt --no-config --allow-net=127.0.0.1 --allow-read";
  const line = `exec '${Deno.execPath()}' run ${flags} '${script}' "$@"`;
  await Deno.writeTextFile(join(programs, "curl"), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return [programs, dirname(Deno.execPath()), Deno.env.get("PATH")].join(":");
}

/** Asserts that a test of this project exists. */
function assertIsFile(path: string): void {
  assert(Deno.statSync(new URL(path, PROJECT)).isFile);
}

/**
 * Asserts that a shown response has the keys and the numbers of a real one; `"…": "…"` stands for
 * more keys.
 */
function assertSameKeys(real: unknown, shown: unknown, path: string): void {
  if (Array.isArray(real) && Array.isArray(shown)) {
    if (real.length > 0 && shown.length > 0) assertSameKeys(real[0], shown[0], `${path}[0]`);
    return;
  }
  if (typeof shown === "number") return assertEquals(real, shown, path);
  const keys = keysOf(shown);
  const isCut = keys.includes("…");
  const expected = keys.filter((key) => key !== "…");
  const found = keysOf(real).filter((key) => !isCut || expected.includes(key));
  assertEquals(found, expected, `${path} has the keys ${found}`);
  for (const key of expected) {
    assertSameKeys(
      (real as Record<string, unknown>)[key],
      (shown as Record<string, unknown>)[key],
      `${path}.${key}`,
    );
  }
}

function keysOf(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** The initial states of the examples in the documents; each is created once. */
function makeStates(surroundings: Surroundings) {
  const place = makePlace(surroundings);
  return { ...makeServerStates(place), ...makeDatabaseStates(place) };
}

/** The patterns of text that varies between runs, and the word for each, in order. */
const MASKS: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UUID"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/\b\d{4}-\d\d-\d\d\b/g, "DATE"],
  [/^\d+ \w{3} \d{4}$/gm, "DAY"],
  [/\bin \d+\.\d s\b/g, "in DURATION"],
  [/\b\d+\.\d [kMG]B\b/g, "SIZE"],
  [/^\d+(?= {2}TIME)/gm, "RUN"],
  [/\bwhsec_\S+/g, "SECRET"],
  [/\?token=\S+/g, "?token=TOKEN"],
  [/\b(Roadcast|PostgreSQL|pg_trgm|vector) \d+(\.\d+)+/g, "$1 VERSION"],
  [/\b\d+ MB are free/g, "SIZE are free"],
  [/\b\d{4}_\w+\.sql\b/g, "MIGRATION"],
];

/** Replaces text that varies between runs with one word each. */
function maskVarying(text: string): string {
  return MASKS.reduce((masked, [pattern, word]) => masked.replaceAll(pattern, word), text);
}
