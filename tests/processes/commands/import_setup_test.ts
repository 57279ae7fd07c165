import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { runCommand } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";
import { waitFor } from "../../support/wait_for.ts";

const ENTER = "\r";
const DOWN = "\u001b[B";

const FILE = [
  "Nr;Vorhaben;Bereich;Stand;Termin;Sichtbar",
  "1;Dark mode;Maps;planned;03.11.2030;public",
  "2;Secret plan;Maps;planned;04.11.2030;internal",
].join("\n");

/** Each question and the keys to answer it. The menu omits fields already chosen. */
const ANSWERS: readonly [question: string, keys: string][] = [
  ['What is "Nr"? It has: 1 · 2', ""], // Id, by its name
  ['What is "Vorhaben"? It has: Dark mode · Secret plan', DOWN], // Name
  ['What is "Bereich"?', DOWN.repeat(5)], // Product
  ["What stands between several values?", ""],
  ['What is "Stand"?', DOWN.repeat(3)], // Status
  ['What is "Termin"?', DOWN], // Date
  ["How are its dates written?", "DD.MM.YYYY"],
  ['What is "Sichtbar"?', ""],
  ["Type of every item", "Preview"],
  ["Which rows belong to the roadmap?", DOWN.repeat(6)],
  ["Which values, separated by commas?", "public"],
  ["Is this right?", ""],
];

/** A command on its own terminal, which the program `script` creates. */
function startOnTerminal(words: string[], settings: Record<string, string>) {
  const command = ["deno", "task", "--quiet", "import", ...words]
    .map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command("script", {
    args: ["-qec", `stty cols 120 rows 50; ${command}`, "/dev/null"],
    env: { TERM: "xterm", NO_COLOR: "1", ...settings },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let shown = "";
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) shown += chunk;
  })();
  const writer = child.stdin.getWriter();
  return {
    /** The text shown so far, without terminal control sequences. */
    text: () => stripVTControlCharacters(shown),
    press: (keys: string) => writer.write(new TextEncoder().encode(keys)),
    ended: reading.then(() => child.status).then(({ code }) => code),
  };
}

async function withFile(
  work: (place: { file: string; settings: Record<string, string> }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "plans.csv");
  const DATA_DIR = join(folder, "data");
  try {
    await copyMigrated(DATA_DIR);
    await Deno.writeTextFile(file, FILE);
    await work({ file, settings: { DATA_DIR } });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("Answering the questions of --setup imports the file and saves the mapping", async () => {
  await withFile(async ({ file, settings }) => {
    const terminal = startOnTerminal([file, "--setup"], settings);
    for (const [question, keys] of ANSWERS) {
      await waitFor(question, () => terminal.text().includes(question));
      await terminal.press(keys + ENTER);
    }
    assertEquals(await terminal.ended, 0);
    match(terminal.text(), /1 would be added, .*, 1 left out by the mapping\./);
    match(terminal.text(), /The mapping is in .*plans\.csv\.mapping\.json: pass it with --fields/);
    match(terminal.text(), /Imported .*plans\.csv as of .*: 1 added/);
    const mapping = `${file}.mapping.json`;
    assertEquals(JSON.parse(await Deno.readTextFile(mapping)), {
      release_item_id: "Nr",
      feature_name: "Vorhaben",
      product_name: "Bereich",
      release_status: "Stand",
      release_date: { from: "Termin", format: "DD.MM.YYYY" },
      release_type: { value: "Preview" },
      where: { Sichtbar: ["public"] },
    });
    const again = await runCommand(["import", file, "--fields", mapping], settings);
    match(again.out, /0 added, 0 changed, 0 removed, 0 restored, 1 unchanged/);

    // Nothing is imported if the mapping cannot be written.
    const nowhere = join(file, "mapping.json");
    const lost = startOnTerminal([file, "--setup", "--fields", nowhere], settings);
    for (const [question, keys] of ANSWERS) {
      await waitFor(question, () => lost.text().includes(question));
      await lost.press(keys + ENTER);
    }
    assertEquals(await lost.ended, 1);
    match(lost.text(), /Cannot write .*plans\.csv\/mapping\.json: /);
    assertEquals(lost.text().includes("Imported"), false);

    // It starts from the existing mapping, and Ctrl+C changes nothing.
    const second = startOnTerminal([file, "--setup"], settings);
    await waitFor("the first question", () => second.text().includes('What is "Nr"?'));
    await second.press(ENTER);
    await waitFor("the meaning", () => /What is "Vorhaben"\?[^?]*● Name/.test(second.text()));
    await second.press("\u0003");
    assertEquals(await second.ended, 1);
    match(second.text(), /Cancelled: nothing was imported/);
  });
});

Deno.test("--setup explains what it cannot do", async () => {
  await withFile(async ({ file, settings }) => {
    const piped = await runCommand(["import", file, "--setup"], settings);
    assertEquals([piped.code, piped.out], [1, ""]);
    match(piped.err, /^--setup asks questions, so it needs a terminal: .*--fields FILE$/);
    const both = await runCommand(["import", file, "--setup", "--dry-run"], settings);
    match(both.err, /^--setup shows the dry run before it imports\. Usage: /);

    const url = startOnTerminal(["https://a.example/plans.csv", "--setup"], settings);
    assertEquals(await url.ended, 1);
    match(url.text(), /--setup of a URL needs --fields FILE/);
    await Deno.writeTextFile(`${file}.mapping.json`, '{"nonsense": 1}');
    const wrong = startOnTerminal([file, "--setup"], settings);
    assertEquals(await wrong.ended, 1);
    match(wrong.text(), /Cannot use .*plans\.csv\.mapping\.json: "nonsense"/);
  });
});
