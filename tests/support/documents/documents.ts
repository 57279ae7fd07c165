import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

/** A document for people; its path is relative to the project. */
export interface Document {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A fenced block. */
export interface Block {
  /** The text after the fence, such as `sh`, or empty. */
  readonly language: string;
  readonly text: string;
  /** The line number of its fence. */
  readonly line: number;
}

/** A command that a document shows with a prompt, and what it prints. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

/** Reads README.md, CONTRIBUTING.md if it exists, and those below docs/, sorted by path. */
export async function readDocuments(): Promise<Document[]> {
  const inRoot = [...Deno.readDirSync(PROJECT)].map(({ name }) => name)
    .filter((name) => ["README.md", "CONTRIBUTING.md"].includes(name));
  const inDocs = readdirSync(`${PROJECT}docs`, { encoding: "utf8", recursive: true })
    .map((path) => `docs/${path}`).filter((path) => path.endsWith(".md"));
  return await Promise.all(
    [...inRoot, ...inDocs].sort().map(async (path) => {
      const text = await Deno.readTextFile(PROJECT + path);
      return { path, text, blocks: readBlocks(text) };
    }),
  );
}

function readBlocks(text: string): Block[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1]!,
    text: match[2]!,
    line: text.slice(0, match.index).split("\n").length,
  }));
}

/** Whether a block shows commands with a prompt. */
export function hasPrompt({ text }: Block): boolean {
  return /^\$ /m.test(text);
}

/** The commands of a block that have a prompt, each followed by its output. */
export function readShownCommands({ text }: Block): ShownCommand[] {
  const [before, ...shown] = text.split(/^\$ /m);
  if (before !== "") throw new Error(`There is no prompt before: ${before}`);
  return shown.map((part) => {
    const [, command, output] = /^((?:[^\n]*\\\n)*[^\n]*\n)(.*)$/s.exec(part)!;
    return { command: command!.trim(), output: output!.trim() };
  });
}

/** The commands of a block without a prompt, with continued lines joined. */
export function readCommands({ text }: Block): string[] {
  return text.replaceAll(/\\\n\s*/g, "").trim().split("\n");
}

/** A document without its fenced blocks. */
export function textWithoutBlocks({ text }: Document): string {
  return text.replaceAll(/^```.*?^```$/gms, "");
}
