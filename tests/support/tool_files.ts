import type { MappedItem } from "../../lib/import/mapping/table.ts";
import { lineOf, type ReadTable, readTable } from "./read_table.ts";

export const TOOL_FILES = new URL("../fixtures/tools/", import.meta.url);

/** What a careful person reads from a file, as the README beside the files says. */
export interface Expected {
  file: string;
  releases: { name: string; product: string; tones: string[]; days: (string | null)[] }[];
  not: string[];
  /** A refusal, or a note that names the column, is as good. */
  orSaid: boolean;
  isRefused: boolean;
  encoding?: string;
}

/** The rows of the README's tables with so many columns. */
function readRows(columns: number): string[][] {
  return Deno.readTextFileSync(new URL("README.md", TOOL_FILES)).split("\n")
    .filter((line) => /^\| [\w.-]+\.\w+ \|/.test(line))
    .map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()))
    .filter(({ length }) => length === columns);
}

/** Files whose releases are these and no others, and what is left out of them. */
export function readExact(): { file: string; releases: string; left: string }[] {
  return readRows(3).map(([file = "", releases = "", left = ""]) => ({ file, releases, left }));
}

/** All releases of a file, and what is left out, as the README writes them. */
export function writeExact({ items, leftOut }: ReadTable): { releases: string; left: string } {
  const releases = items.map((item) =>
    `${item.feature_name}: ${item.product_names.join(" + ")}, ${item.release_status} = ` +
    `${item.tone}, ${item.release_date ?? "no day"}`
  );
  const left = Object.entries(leftOut).map(([reason, count]) => `${reason} ${count}`);
  return { releases: releases.join("; "), left: left.join(", ") };
}

/** Files of which only what a person would miss is said. */
export function readExpected(): Expected[] {
  return readRows(4).map(([file = "", , , right = ""]) => {
    const said = right.replace(/ With `.*$/, "").replace("*or said*", "");
    const [releases = "", not = ""] = said.split("**Not:**");
    return {
      file,
      releases: releases.startsWith("refused") ? [] : releases.trim().split("; ").map(readRelease),
      not: not.trim().replace(/\.$/, "").split(", ").filter((name) => name !== ""),
      orSaid: right.includes("*or said*"),
      isRefused: releases.startsWith("refused"),
      encoding: /With `([^`]+)`/.exec(right)?.[1],
    };
  });
}

function readRelease(text: string) {
  const [, name, product, tones, days] = /^(.+): ([^,]+), ([^,]+), (.+)$/.exec(text)!;
  return {
    name: name!,
    product: product!,
    tones: tones!.split(" or ").map((tone) => tone.replace(" ", "_")),
    days: days!.split(" or ").map((day) => day === "no day" ? null : day),
  };
}

/** What of a file is not as it should be; empty: it is right. */
export function mistakesIn(read: ReadTable, expected: Expected): string[] {
  const { items, refused, problems } = read;
  if (refused !== null || problems.length > 0) {
    return expected.isRefused ? [] : [`refused: ${refused ?? problems[0]}`];
  }
  if (expected.isRefused) return items.map((item) => `read: ${lineOf(item)}`);
  const wrong = expected.releases.flatMap((release) => {
    const found = items.find(({ feature_name }) => feature_name === release.name);
    if (!found) return [`missing: ${release.name}`];
    return isRight(found, release) ? [] : [lineOf(found)];
  });
  const published = items.map(({ feature_name }) => feature_name)
    .filter((name) => expected.not.includes(name)).map((name) => `published: ${name}`);
  return [...wrong, ...published];
}

function isRight(
  { product_names, tone, release_date }: MappedItem,
  { product, tones, days }: Expected["releases"][number],
): boolean {
  return (product === "-" || product_names.includes(product)) &&
    (tones.includes("any_status") || tones.includes(tone)) && days.includes(release_date);
}

/** Reads a file of the folder. */
export async function readToolFile(file: string, encoding?: string): Promise<ReadTable> {
  return await readTable(file, await Deno.readFile(new URL(file, TOOL_FILES)), { encoding });
}
