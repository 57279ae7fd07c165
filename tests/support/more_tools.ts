import type { MappedItem } from "../../lib/import/mapping/table.ts";
import { type ReadTable, readTable } from "./read_table.ts";

const FOLDER = new URL("../fixtures/more-tools/", import.meta.url);

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

/** The table of the README. */
export function readExpected(): Expected[] {
  const text = Deno.readTextFileSync(new URL("README.md", FOLDER));
  return text.split("\n").filter((line) => /^\| [\w.-]+\.\w+ \|/.test(line)).map((line) => {
    const [file = "", , , right = ""] = line.slice(2, -2).split(" | ");
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
  if (expected.isRefused) {
    return items.length === 0 ? [] : [`read: ${show(items[0]!)}`];
  }
  const wrong = expected.releases.flatMap((release) => {
    const found = items.find(({ feature_name }) => feature_name === release.name);
    if (!found) return [`missing: ${release.name}`];
    const isRight = (release.product === "-" || found.product_names.includes(release.product)) &&
      (release.tones.includes("any_status") || release.tones.includes(found.tone)) &&
      release.days.includes(found.release_date);
    return isRight ? [] : [show(found)];
  });
  const published = items.filter(({ feature_name }) => expected.not.includes(feature_name)).map((
    { feature_name },
  ) => `published: ${feature_name}`);
  return [...wrong, ...published];
}

function show({ feature_name, product_names, tone, release_date }: MappedItem): string {
  return `${feature_name}: ${product_names.join("+")}, ${tone}, ${release_date}`;
}

/** Reads a file of the folder. */
export async function readFixture({ file, encoding }: Expected): Promise<ReadTable> {
  return await readTable(file, await Deno.readFile(new URL(file, FOLDER)), { encoding });
}
