/**
 * Writes the table of languages of docs/languages.md, with the share of messages that each has:
 *
 *     deno task generate
 */
import { LANGUAGES } from "../lib/text/languages.ts";

const DOCUMENT = new URL("../docs/languages.md", import.meta.url);
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
  return text.replace(
    TABLE,
    `| language | translated |\n| -------- | ---------- |\n${rows.join("")}`,
  );
}

async function readMessages(tag: string): Promise<Record<string, string>> {
  const file = new URL(`../messages/${tag}.json`, import.meta.url);
  return JSON.parse(await Deno.readTextFile(file));
}
