import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
/** What writes elements: a class, an id or an attribute that none of them names is on no page. */
const WRITERS = ["routes", "lib", "islands", "components", "scripts"];

interface Declaration {
  place: string;
  property: string;
  value: string;
}

const sheets = new Map(
  listFiles("static", /\.css$/).map((
    path,
  ) => [path, Deno.readTextFileSync(PROJECT + path)]),
);
const declarations = [...sheets].flatMap(([path, text]) =>
  [...text.matchAll(/^ +(-?-?[a-z0-9-]+):\s+([^;{]+);$/gm)].map((
    [, property, value],
  ): Declaration => ({
    place: `${path}: ${property}: ${value}`,
    property: property!,
    value: value!,
  }))
);
const sources = WRITERS.flatMap((folder) => listFiles(folder, /\.tsx?$/))
  .map((path) => Deno.readTextFileSync(PROJECT + path));
const allSources = sources.join("\n");
/** The texts in quotation marks: neither comments nor what a person reads between tags. */
const literals = sources.flatMap((text) =>
  text.match(/\/\/.*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ??
    []
).filter((part) => /^["`]/.test(part)).join("\n");

Deno.test("Every part of the style sheet is loaded", () => {
  const imported = [
    ...sheets.get("static/style.css")!.matchAll(/^@import "\.\/(.+)";$/gm),
  ];
  assertEquals(
    imported.map(([, part]) => `static/${part}`).sort(),
    [...sheets.keys()].filter((path) => path.startsWith("static/styles/"))
      .sort(),
  );
});

Deno.test("Type has five sizes, and one for fields by touch; space has seven, all of them tokens", () => {
  const tokens = (name: string) =>
    declarations.filter(({ property }) => property.startsWith(`--${name}-`));
  assertEquals(tokens("text").length, 5 + 1);
  assertEquals(tokens("space").length, 7);
  assertEquals(
    declarations.filter(({ property, value }) =>
      property === "font-size" &&
        !/^(var\(--text-\w+\)|inherit|[\d.]+%)$/.test(value) ||
      property === "font" &&
        !/^(inherit|var\(--text-\w+\)(\/[\d.]+)? var\(--\w+\))$/.test(value)
    ).map(({ place }) => place),
    [],
  );
  const isSpace = (value: string) =>
    value.replaceAll(/var\(--space-\d\)|calc|[()*+-]|\b\d+\b|auto|\s/g, "") ===
      "";
  assertEquals(
    declarations.filter(({ property, value }) =>
      /^(margin|padding|(row-|column-)?gap)/.test(property) && !isSpace(value)
    ).map(({ place }) => place),
    [],
  );
});

Deno.test("Styles name the start and the end of a line, which a language from right to left swaps", () => {
  const isPhysical = ({ property, value }: Declaration) =>
    /(^|-)(left|right)($|-)/.test(property) ||
    /^(text-align|float|clear)$/.test(property) &&
      /^(left|right)$/.test(value) ||
    /^(margin|padding|inset)$/.test(property) && isLopsided(value) ||
    property === "border-radius" && isLopsidedBox(value);
  assertEquals(declarations.filter(isPhysical).map(({ place }) => place), []);
});

/** Whether a shorthand has another value at the left than at the right. */
function isLopsided(value: string): boolean {
  const [, right, , left] = value.match(
    /([\w-]+\([^()]*(\([^()]*\)[^()]*)*\)|\S+)/g,
  )!;
  return left !== undefined && left !== right;
}

function isLopsidedBox(corners: string): boolean {
  const [first, second = first, third = first, fourth = second] = corners.split(
    " ",
  );
  return first !== second || third !== fourth;
}

Deno.test("Every custom property is defined and used", () => {
  const text = [...sheets.values()].join("\n");
  const defined = new Set(
    text.match(/^ +--[\w-]+(?=:)/gm)!.map((name) => name.trim()),
  );
  const used = new Set(
    [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!),
  );
  assertEquals([...used].filter((name) => !defined.has(name)), []);
  assertEquals([...defined].filter((name) => !used.has(name)), []);
});

Deno.test("Every selector names classes, ids and attributes that a page has", () => {
  const unused: string[] = [];
  for (const [path, text] of sheets) {
    for (const selector of selectorsOf(text)) {
      for (const [part, name] of selector.matchAll(/[.#](-?[a-zA-Z][\w-]*)/g)) {
        if (!isWritten(name!)) unused.push(`${path}: ${part}`);
      }
      for (const [part, name] of selector.matchAll(/\[([a-z-]+)/g)) {
        if (
          !new RegExp(`\\b(${name}|${toProperty(name!)})\\b`).test(allSources)
        ) {
          unused.push(`${path}: ${part}]`);
        }
      }
    }
  }
  ok(literals.length > 100_000);
  assertEquals([...new Set(unused)], []);
});

/** As scripts call it: `data-theme` is `dataset.theme`. */
function toProperty(attribute: string): string {
  return attribute.replace(/^data-/, "").replaceAll(
    /-(\w)/g,
    (_, letter) => letter.toUpperCase(),
  );
}

/** A name within a text of the sources, whole or as the end of a template such as `kind-${kind}`. */
function isWritten(name: string): boolean {
  const [start, end] = ['["`\\s}]', '["`\\s$]'];
  const template = name.replace(/-[^-]+$/, "-");
  return new RegExp(start + name + end).test(literals) ||
    template !== name && new RegExp(start + template + "\\$\\{").test(literals);
}

function selectorsOf(text: string): string[] {
  const bare = text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(
    /"[^"\n]*"/g,
    '""',
  );
  return [...bare.matchAll(/([^{};@]+)\{/g)].map(([, selector]) => selector!.trim());
}

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(PROJECT, folder), {
    recursive: true,
    encoding: "utf8",
  })
    .filter((path) => pattern.test(path))
    .map((path) => join(folder, path));
}
