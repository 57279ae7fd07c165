import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import project from "../../../deno.json" with { type: "json" };
import { runHere, runTask } from "../../support/command.ts";
import {
  type Document,
  readDocuments,
  textWithoutBlocks,
} from "../../support/documents/documents.ts";

/** Stands for the name of any task. */
const PLACEHOLDER = "<name>";
const OPTION = /(?<![\w-])--[a-z][a-z-]*/g;

/** A task as a document calls it, with its options. */
interface Call {
  readonly path: string;
  readonly task: string;
  readonly options: readonly string[];
}

Deno.test("Every task in the documents exists in deno.json", async () => {
  const calls = (await readDocuments()).flatMap(readCalls);
  assert(calls.length > 50, `only ${calls.length} were found`);
  const unknown = calls.filter(({ task }) => task !== PLACEHOLDER && !(task in project.tasks));
  assertEquals(unknown, []);
});

Deno.test("Every option in the documents is listed by --help", async () => {
  const documents = await readDocuments();
  const calls = documents.flatMap(readCalls).filter(({ options }) => options.length > 0);
  const tasks = [...new Set(calls.map(({ task }) => task))].filter((task) => task !== PLACEHOLDER);
  assert(tasks.length > 5, `only ${tasks} have options`);
  const told = new Map<string, string[]>();
  for (const task of tasks) told.set(task, await readOptions(task));
  const unknown = calls.flatMap(({ path, task, options }) =>
    options.filter((option) => told.has(task) && !told.get(task)!.includes(option))
      .map((option) => `${path}: deno task ${task} has no ${option}`)
  );
  assertEquals(unknown, []);

  // Tables name options without their command.
  const all = [...told.values()].flat();
  const alone = documents.flatMap((document) =>
    [...textWithoutBlocks(document).matchAll(/^\| `(--[a-z-]+)/gm)]
      .filter(([, option]) => !all.includes(option!))
      .map(([, option]) => `${document.path}: no command has ${option}`)
  );
  assertEquals(alone, []);
});

/** The calls of `deno task`, each up to the end of its line, code span or command. */
function readCalls({ path, text }: Document): Call[] {
  const joined = text.replaceAll(/\\\n\s*/g, "");
  return [...joined.matchAll(/\bdeno(?:@[\d.]+)? task ([\w:]+|<name>)([^`\n;#]*)/g)]
    .map(([, task, rest]) => ({ path, task: task!, options: rest!.match(OPTION) ?? [] }));
}

/** The options that a task lists; the bench lists them when it is called incorrectly. */
async function readOptions(task: string): Promise<string[]> {
  const [, command] =
    / main\.ts (\w+)$/.exec(project.tasks[task as keyof typeof project.tasks].command) ?? [];
  const { out, err } =
    await (command ? runHere([command, "--help"], {}) : runTask([task, "--help"], {}));
  return `${out}\n${err}`.match(OPTION) ?? [];
}
