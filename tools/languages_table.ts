/**
 * Writes the table of languages of docs/languages.md, with the share of messages that each has, and what
 * can be asked in each:
 *
 *     deno task generate
 */
import { LANGUAGES } from "../lib/text/languages.ts";
import english from "../messages/questions/en.json" with { type: "json" };

const DOCUMENT = new URL("../docs/languages.md", import.meta.url);
const QUESTIONS = /```text\nen\n[^`]*```/;
const LINE = 96;
const TABLE = /\| language \| translated \|\n(?:\|.*\|\n)+/;

if (import.meta.main) await Deno.writeTextFile(DOCUMENT, await renewLanguages());

/** The document of the languages as it should be. */
export async function renewLanguages(): Promise<string> {
  const text = await Deno.readTextFile(DOCUMENT);
  const keys = Object.keys(await readMessages("en"));
  const rows = await Promise.all(LANGUAGES.map(async (tag) => {
    const own = await readMessages(tag);
    const share = Math.floor(100 * keys.filter((key) => key in own).length / keys.length);
    return `| ${`\`${tag}\``.padEnd(8)} | ${`${share}%`.padEnd(10)} |\n`;
  }));
  const questions = await Promise.all(LANGUAGES.map(listQuestions));
  return text.replace(
    TABLE,
    `| language | translated |\n| -------- | ---------- |\n${rows.join("")}`,
  ).replace(QUESTIONS, `\`\`\`text\n${questions.join("\n\n")}\n\`\`\``);
}

/** The first example of a language for everything that can be asked, in the order of English. */
async function listQuestions(tag: string): Promise<string> {
  const file = new URL(`../messages/questions/${tag}.json`, import.meta.url);
  const { examples }: typeof english = JSON.parse(await Deno.readTextFile(file));
  const lines = [""];
  for (const meaning of new Set(Object.values(english.examples))) {
    const [question] = Object.entries(examples).find(([, meant]) => meant === meaning)!;
    const line = lines.at(-1)!;
    if (line !== "" && line.length + question.length > LINE) lines.push(question);
    else lines[lines.length - 1] = line === "" ? question : `${line} · ${question}`;
  }
  return [tag, ...lines].join("\n");
}

async function readMessages(tag: string): Promise<Record<string, string>> {
  const file = new URL(`../messages/${tag}.json`, import.meta.url);
  return JSON.parse(await Deno.readTextFile(file));
}
