import { z } from "zod";
import { SOURCE_KINDS, type SourceKind } from "../../config/source_kinds.ts";
import { parseLanguage } from "../../text/foreign.ts";
import { asObject } from "../../text/values.ts";
import { findEncoding } from "../fetching/decode_text.ts";
import { isAddress } from "../fetching/location.ts";
import { countedFrom, hasPlaceInBody, isCounted, PLACE, POINTER } from "../kinds/json_api.ts";
import { findKind, kindOfTracker, TRACKER_FORMS } from "../kinds/known_kinds.ts";
import { MAPPING } from "../mapping/fields.ts";
import { PRIVATE_HOSTS } from "../mapping/private_links.ts";
import { AUTH, HEADERS } from "./source_secrets.ts";

const POINTER_EXAMPLE = "a JSON pointer, such as /data/items";
const NEXT_EXAMPLE = 'a JSON pointer, such as /meta/next, or "Link"';
const PAGES_EXAMPLE = 'must be an object such as {"next": "/next_cursor", "parameter": "cursor"}';

const PAGES_RULE = z.strictObject({
  by: z.enum(["pages", "items"], 'must be "pages" or "items"').optional()
    .describe("What parameter counts, if there is no next: pages (default), or items"),
  next: z.string(`must be ${NEXT_EXAMPLE}`)
    .refine(
      (text) => text === "Link" || text !== "" && POINTER.test(text),
      `must be ${NEXT_EXAMPLE}`,
    )
    .optional()
    .describe("JSON pointer to the address or the cursor of the next page, or Link, the header"),
  parameter: z.string("must be text").trim().min(1, "must not be empty").max(100).optional()
    .describe("Query parameter that takes the cursor, or a JSON pointer into the body"),
}, {
  error: ({ code }) => code === "unrecognized_keys" ? undefined : PAGES_EXAMPLE,
});

/** The keys of a source that say how an API is asked page by page. */
const API_KEYS = {
  items: z.string(`must be ${POINTER_EXAMPLE}`).regex(POINTER, `must be ${POINTER_EXAMPLE}`)
    .optional()
    .describe(
      "JSON pointer to the list of items, where * is each of a list or object; default: the document",
    ),
  pages: PAGES_RULE.optional().describe("How the next page is found"),
  method: z.enum(["GET", "POST"], "must be GET or POST").optional()
    .describe("Default: GET, with a body POST"),
  body: z.union(
    [z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())],
    "must be text or JSON",
  ).optional().describe(`Body of the requests; ${PLACE} stands for the cursor of the page`),
};

const JSON_KEYS = ["items", "pages", "method", "body"] as const;

/** A source before it is known to be without mistakes. */
type RawSource = Readonly<Record<string, unknown>>;

/** What is wrong between the keys of one source: the key, and why. */
function* findApiMistakes(source: RawSource): Generator<[key: string, reason: string]> {
  const given = JSON_KEYS.filter((key) => source[key] !== undefined);
  const { from, kind, method, body } = source;
  if (given.length === 0) return;
  if (kind !== undefined && kind !== "json") {
    for (const key of given) yield [key, 'is for sources of kind "json" only'];
    return;
  }
  const isAsked = given.some((key) => key !== "items");
  if (isAsked && typeof from === "string" && !isAddress(from.trim())) {
    yield ["from", `must be an http or https address to use ${given.join(", ")}`];
  }
  if (method === "GET" && body !== undefined) yield ["body", 'requires "method": "POST"'];
  const { success, data: pages } = PAGES_RULE.optional().safeParse(source.pages);
  if (!success) return;
  const isFilled = hasPlaceInBody({ body, pages });
  if (pages === undefined) {
    if (isFilled) yield ["body", `has ${PLACE}, but "pages" is missing`];
    return;
  }
  const { by, next, parameter } = pages;
  if (by !== undefined && next !== undefined) {
    yield ["pages.by", 'cannot be combined with "next", which names the next page'];
  }
  if (next === undefined && parameter === undefined) {
    yield ["pages", 'requires "next" or "parameter"'];
  }
  if (next === "Link" && (parameter !== undefined || isFilled)) {
    yield [
      "pages",
      '"Link" cannot be combined with "parameter": it is the full address of the next page',
    ];
  }
  if (next === undefined && isFilled && !parameter?.startsWith("/")) {
    yield ["pages.next", `is required with ${PLACE}: pages are counted in a parameter`];
  }
  const start = parameter && isCounted({ pages })
    ? countedFrom(String(from), body, parameter)
    : undefined;
  if (start !== undefined && !/^\d{1,9}$/.test(String(start))) {
    yield ["pages.parameter", `counts from ${JSON.stringify(start)}, which is not a whole number`];
  }
  if (parameter?.startsWith("/")) {
    if (!POINTER.test(parameter)) yield ["pages.parameter", `must be ${POINTER_EXAMPLE}`];
    if (asObject(body) === null) {
      yield ["pages.parameter", 'is a JSON pointer, so "body" must be an object'];
    }
  }
}

/** The limits of a source's own settings. */
export const MAX = { sources: 100, minutes: 44_640, name: 100 };

const text = (what: string) =>
  z.string({ error: ({ input }) => input === undefined ? "is missing" : `must be ${what}` })
    .trim().min(1, "must not be empty");

/** The name of a source, which is used in URLs, messages and metrics. */
const SOURCE_NAME = text("text")
  .max(MAX.name, `must be at most ${MAX.name} characters`)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");

const minutes = `must be a whole number from 1 to ${MAX.minutes}`;

/** A name of an encoding (Encoding Standard, section 4.2). */
export const ENCODING = z.string("must be the name of an encoding, such as gbk").trim()
  .refine((name) => findEncoding(name) !== null, "must be the name of an encoding, such as gbk");

const LANGUAGE = z.string("must be the tag of a language, such as pt-BR")
  .refine((tag) => parseLanguage(tag) !== null, "must be the tag of a language, such as pt-BR");

const SOURCE = z.strictObject({
  name: SOURCE_NAME.describe("Name of the source, also for the filter"),
  from: text("a file or an address").describe(
    `An http or https address, a file (relative to this one), ${TRACKER_FORMS}`,
  ),
  kind: z.enum(SOURCE_KINDS, `must be one of ${SOURCE_KINDS.join(", ")}`).optional()
    .describe("Default: detected from the data"),
  every_minutes: z.int(minutes).min(1, minutes).max(MAX.minutes, minutes).optional()
    .describe("Minutes between imports; default: ROADMAP_SYNC_MINUTES"),
  fields: MAPPING.optional()
    .describe("Column of each field; default: by the column names"),
  sheet: text("the name of a sheet").optional()
    .describe("Sheet of a spreadsheet (.xlsx); default: the only one with a table"),
  encoding: ENCODING.optional()
    .describe("Encoding of its text, such as gbk; default: detected"),
  language: LANGUAGE.optional()
    .describe("Language of its texts, such as pt-BR; default: what a feed says, else the site's"),
  headers: HEADERS.optional()
    .describe("Request headers; env:NAME is the value of that environment variable"),
  auth: AUTH.optional().describe("Access token by the client credentials of OAuth2"),
  announcements: text("an http or https address")
    .refine(isAddress, "must be an http or https address").optional()
    .describe("A feed of announcements (RSS, Atom, JSON Feed), whose posts releases link to"),
  ...API_KEYS,
  private_hosts: PRIVATE_HOSTS.optional()
    .describe("Links to these hosts lose their addresses: wiki.example.com, *.example.com"),
}, "must be an object");

/** The file that ROADMAP_CONFIG names. */
export const SOURCES_FILE = z.strictObject({
  $schema: z.string("must be the address of a JSON Schema").optional(),
  sources: z.array(SOURCE, {
    error: ({ input }) => input === undefined ? "is missing" : "must be an array",
  }).min(1, "must have at least one source").max(MAX.sources, `must have at most ${MAX.sources}`),
}, "must be an object").describe("The sources of a Roadcast roadmap");

type SourcesFile = z.output<typeof SOURCES_FILE>;

/** A source of that file. */
export type SourceEntry = SourcesFile["sources"][number];

/** Parses a file; returns the sources, or the mistakes, each with its path. */
export function parseSources(
  value: unknown,
): { file: SourcesFile; mistakes: [] } | { file: null; mistakes: string[] } {
  const { success, data, error } = SOURCES_FILE.safeParse(value);
  const mistakes = [...listMistakes(error?.issues ?? []), ...compareSources(value)];
  return success && mistakes.length === 0 ? { file: data, mistakes: [] } : { file: null, mistakes };
}

/** Parses one source; a mistake begins with its key: `from: is missing`. */
export function parseSource(
  entry: unknown,
): { source: SourceEntry; mistakes: [] } | { source: null; mistakes: string[] } {
  const { file, mistakes } = parseSources({ sources: [entry] });
  if (file) return { source: file.sources[0]!, mistakes: [] };
  return { source: null, mistakes: mistakes.map((line) => line.replace(/^sources\[0\]\.?/, "")) };
}

type Path = readonly PropertyKey[];

/** One line for each mistake, as `sources[1].fields.release_date.format: …`. */
function* listMistakes(issues: readonly z.core.$ZodIssue[], above: Path = []): Generator<string> {
  for (const issue of issues) {
    const path = [...above, ...issue.path];
    // A union only says that none of its shapes fits; the real error is in one of them.
    const inside = issue.code === "invalid_union"
      ? issue.errors.flat().filter(({ path }) => path.length > 0)
      : [];
    if (inside.length > 0) yield* listMistakes(inside, path);
    else if (issue.code === "unrecognized_keys" && issue.path.at(-1) !== "fields") {
      for (const key of issue.keys) yield `${showPath([...path, key])}: is unknown`;
    } else yield `${showPath(path)}: ${issue.message}`;
  }
}

function showPath(path: Path): string {
  const text = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("");
  return text.replace(/^\./, "") || "the file";
}

/** Checks across sources and settings, for a file that may have other mistakes. */
function* compareSources(value: unknown): Generator<string> {
  const { sources } = Object(value) as { sources?: unknown };
  const places = new Map<string, number>();
  for (const [place, source] of Array.isArray(sources) ? sources.entries() : []) {
    const { name, from, kind } = Object(source) as Record<string, unknown>;
    if (typeof name === "string") {
      const earlier = places.get(name.trim());
      if (earlier !== undefined) {
        yield `sources[${place}].name: is already used by sources[${earlier}]`;
      } else places.set(name.trim(), place);
    }
    for (const [key, reason] of findApiMistakes(Object(source))) {
      yield `sources[${place}].${key}: ${reason}`;
    }
    if (typeof from !== "string") continue;
    const tracker = kindOfTracker(from.trim());
    if (tracker && (kind ?? tracker) !== tracker) {
      yield `sources[${place}].kind: must be "${tracker}" here`;
    }
    const form = findKind(tracker ?? kind as SourceKind)?.form;
    if (form && form.parse(from.trim()) === null) {
      yield `sources[${place}].from: must be ${form.written}`;
    }
  }
}
