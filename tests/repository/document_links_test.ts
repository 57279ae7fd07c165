import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readDocuments, textWithoutBlocks } from "../support/documents/documents.ts";
import { readSources } from "../support/sources.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

Deno.test("Each link of the documents leads to a file, and its fragment to a heading", async () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const document of await readDocuments()) {
    for (const target of linksOf(textWithoutBlocks(document))) {
      const [path, fragment] = target.split("#");
      const file = path === "" ? document.path : join(dirname(document.path), path!);
      checked++;
      const text = await readIfThere(join(PROJECT, file));
      if (text === null) wrong.push(`${document.path}: there is no ${file}`);
      else if (fragment !== undefined && !anchorsOf(text).includes(fragment)) {
        wrong.push(`${document.path}: ${file} has no heading #${fragment}`);
      }
    }
  }
  assertEquals(wrong, []);
  assert(checked > 20, `only ${checked} links were found`);
});

Deno.test("docs/README.md lists every document", async () => {
  const index = await Deno.readTextFile(join(PROJECT, "docs/README.md"));
  const documents = (await readDocuments()).map(({ path }) => path)
    .filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
  assertEquals(
    documents.filter((path) => !index.includes(`(${path.slice("docs/".length)})`)),
    [],
  );
});

/** Paths from the root of the project in inline code, without patterns and what is built. */
const PATH =
  /`((?:\.ci|bench|commands|components|deploy|islands|lib|migrations|routes|scripts|static|tests|tools)\/[^\s`*]*)`/g;

Deno.test("Each file that a document names exists", async () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const document of await readDocuments()) {
    for (const [, path] of textWithoutBlocks(document).matchAll(PATH)) {
      if (path!.includes("NUMBER")) continue;
      checked++;
      const isThere = await Deno.stat(join(PROJECT, path!)).then(
        () => true,
        () => false,
      );
      if (!isThere) wrong.push(`${document.path}: there is no ${path}`);
    }
  }
  assertEquals(wrong, []);
  assert(checked > 100, `only ${checked} paths were found`);
});

/** The documents that follow the code through its files. */
const OF_CODE = /^docs\/(?:ARCHITECTURE|scale|internals\/\w+)\.md$/;

Deno.test("Each file and name in the documents about the code is in the code", async () => {
  const sources = readSources();
  const others = ["migrations/0042_baseline.sql", "deno.json"];
  const code = sources.map(({ text }) => text).join("") +
    others.map((path) => Deno.readTextFileSync(join(PROJECT, path))).join("");
  const files = readdirSync(PROJECT, { encoding: "utf8", recursive: true })
    .filter((path) => !path.includes("node_modules")).map((path) => `/${path}`);
  const wrong: string[] = [];
  let checked = 0;
  for (const document of await readDocuments()) {
    if (!OF_CODE.test(document.path)) continue;
    for (
      const [, name] of textWithoutBlocks(document).matchAll(/`([\w./-]+)`/g)
    ) {
      const isFile = /^\w[\w./-]*\.(?:tsx?|sql|css|svg|json)$/.test(name!);
      if (
        !isFile && !/^[a-z_]\w{3,}$/i.test(name!) || name!.startsWith("dist/")
      ) continue;
      checked++;
      const isThere = isFile
        ? files.some((path) => path.endsWith(`/${name}`))
        : new RegExp(`\\b${name}\\b`).test(code);
      if (!isThere) wrong.push(`${document.path}: there is no ${name}`);
    }
  }
  assertEquals(wrong, []);
  assert(checked > 150, `only ${checked} names were found`);
});

/** A filter or a list that begins with a product, as somebody copies it. */
const PRODUCT = /\bproduct_name=([\w%+]+)|--product-name (\w+)|"products": \["([^"]+)"/g;

Deno.test("The product that an example to copy begins with is one of the sample", async () => {
  const { items } = JSON.parse(
    await Deno.readTextFile(join(PROJECT, "sample/roadmap.json")),
  );
  const products = new Set(
    items.map((item: Record<string, string>) => item.product_name),
  );
  const wrong: string[] = [];
  let checked = 0;
  for (const { path } of await readDocuments()) {
    // The specification has names of its own.
    if (path === "docs/interface.md") continue;
    const text = await Deno.readTextFile(join(PROJECT, path));
    for (const [example, ...names] of text.matchAll(PRODUCT)) {
      checked++;
      const name = decodeURIComponent(
        names.find(Boolean)!.replaceAll("+", " "),
      );
      // What no release has is named in the answer.
      const isAnswer = text.includes(`"unknown": { ${example}`);
      if (!products.has(name) && !isAnswer) wrong.push(`${path}: ${example}`);
    }
  }
  assertEquals(wrong, []);
  assert(checked > 4, `only ${checked} products were found`);
});

Deno.test("What a document says is in a file is in that file", async () => {
  const sources = readSources();
  const wrong: string[] = [];
  let checked = 0;
  for (const document of await readDocuments()) {
    const claims = textWithoutBlocks(document)
      .matchAll(/`(\w{4,})`\s+in\s+`([\w./()-]+\.tsx?)`/g);
    for (const [, name, file] of claims) {
      checked++;
      const isThere = sources.some(({ path, text }) =>
        `/${path}`.endsWith(`/${file}`) && text.includes(name!)
      );
      if (!isThere) wrong.push(`${document.path}: ${file} has no ${name}`);
    }
  }
  assertEquals(wrong, []);
  assert(checked > 4, `only ${checked} were found`);
});

/** The targets of links and pictures on the same host, without those in inline code. */
function linksOf(text: string): string[] {
  const links = text.replaceAll(/`[^`]*`/g, "code")
    .matchAll(
      /\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)|\b(?:src|srcset|href)="([^"]+)"/gm,
    );
  return [...links].map(([, inline, reference, attribute]) => (inline ?? reference ?? attribute)!)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of headings, as GitHub and most other Markdown renderers generate them. */
function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm)]
    .map(([, heading]) => {
      const anchor = heading!.toLowerCase().replaceAll(
        /[^\p{L}\p{N}\s_-]/gu,
        "",
      ).trim()
        .replaceAll(/\s/g, "-");
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    });
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await Deno.stat(path)).isDirectory ? "" : await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
