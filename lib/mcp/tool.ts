import { z } from "zod";
import { DUE_PERIODS, type FilterName } from "../roadmap/filter/filter_values.ts";
import type { Variant } from "../roadmap/variant.ts";
import type { CollectionContext } from "../search/search.ts";
import type { Services } from "../service/services.ts";

/** What tools answer from; the context of a route, with the client, is one. */
export type ToolContext = CollectionContext & {
  readonly services: Pick<Services, "config" | "database" | "listedOptions">;
};

/** What a tool has to say: for programs, and as a text that a person can read. */
interface ToolAnswer {
  structured: Record<string, unknown>;
  text: string;
}

/** One tool, as a model sees it: the descriptions are all that the model knows of the service. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  description(variant: Variant): string;
  readonly input: Input;
  output(variant: Variant): z.ZodObject;
  answer(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer>;
}

/** A tool among others: what it takes is checked before it is called. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool;
}

const list = (what: string) =>
  z.array(z.string()).max(100).optional().describe(
    `${what}; any one of several matches. Exact and case-sensitive: take values from ` +
      "list_filter_options",
  );
const day = (what: string) => z.string().optional().describe(what);

/** The filter of the roadmap as the parameters of a tool. */
export const TOOL_FILTER = {
  product_name: list("Names of products"),
  release_type: list("Release types, such as a preview or general availability"),
  release_status: list("Statuses, such as planned or shipped"),
  tag: list("Tags, each written Group:Value; over several groups, one of each"),
  source: list("Names of the sources that releases come from, where there are several"),
  modified_within_days: z.int().min(1).max(30).optional()
    .describe("Only releases that changed within this number of days"),
  modified_since: day("Only releases last changed on or after this day (YYYY-MM-DD)"),
  release_date_from: day(
    "Only releases planned for this day (YYYY-MM-DD) or quarter (such as Q3 2026), or later",
  ),
  release_date_to: day(
    "Only releases planned for this day (YYYY-MM-DD) or quarter (such as Q3 2026), or earlier",
  ),
  due: z.enum(DUE_PERIODS).optional().describe(
    "Only releases that are neither shipped nor stopped: overdue, or planned for the next 7, 30 " +
      "or 90 days",
  ),
  q: z.string().max(1_000).optional().describe(
    'What is looked for, in words: all of them, in any form and order; "quoted words" stand ' +
      "together. Where the site searches by meaning, search_mode says so",
  ),
  include_inactive: z.boolean().optional()
    .describe("true: also releases that were removed from the roadmap"),
} as const satisfies Record<Exclude<FilterName, "match">, z.ZodType>;

/** What a tool was called with, as the query of an address; a question is searched by its words. */
export function toQuery(input: Readonly<Record<string, unknown>>): URLSearchParams {
  const pairs = Object.entries(input).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)])
  );
  return new URLSearchParams([...pairs, ["match", "words"]]);
}

/** The part of a JSON schema that says what a value may be. */
interface Expected {
  readonly type?: string;
}

/**
 * A message whose arguments are as models write them, with those arguments as the tool takes them:
 * one value in place of a list, a list in a string, numbers and booleans in quotes, and null for what
 * is left out. What cannot be meant stays, and is refused with the reason.
 */
export function readArguments(message: unknown, tools: readonly Tool[]): unknown {
  if (!isObject(message) || message.method !== "tools/call" || !isObject(message.params)) {
    return message;
  }
  const { params } = message;
  const tool = tools.find(({ name }) => name === params.name);
  const given = params.arguments ?? {};
  if (!tool || !isObject(given)) return message;
  const { properties = {} } = z.toJSONSchema(tool.input) as {
    properties?: Record<string, Expected>;
  };
  const read = Object.entries(given).filter(([, value]) => value !== null)
    .map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) ? readValue(value, properties[name]!) : value,
    ]);
  return { ...message, params: { ...params, arguments: Object.fromEntries(read) } };
}

function readValue(value: unknown, { type }: Expected): unknown {
  switch (type) {
    case "array": {
      const list = typeof value === "string" ? parseList(value) ?? value : value;
      return [list].flat().map((one) => typeof one === "number" ? String(one) : one);
    }
    case "string":
      return ["number", "boolean"].includes(typeof value) ? String(value) : value;
    case "boolean":
      return typeof value === "string" ? readBoolean(value) : value;
    case "integer":
    case "number":
      return typeof value === "string" && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value;
    default:
      return value;
  }
}

function readBoolean(text: string): boolean | string {
  const folded = text.trim().toLowerCase();
  return folded === "true" || (folded === "false" ? false : text);
}

function parseList(text: string): unknown[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
