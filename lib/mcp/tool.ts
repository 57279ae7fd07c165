import { z } from "zod";
import { FILTER } from "../roadmap/filter/filter.ts";
import {
  FILTER_NAMES,
  FILTER_PARAMETERS,
  type FilterName,
} from "../roadmap/filter/filter_values.ts";
import { REPEAT } from "../roadmap/filter/filters_sql.ts";
import type { Variant } from "../roadmap/variant.ts";
import type { CollectionContext } from "../search/search.ts";
import type { RoadmapServices, Services } from "../service/services.ts";
import { MAX_VALUES, parseJson } from "../text/values.ts";

/** What tools answer from; the context of a route, with the client, is one. */
export type ToolContext = CollectionContext & {
  readonly services:
    & RoadmapServices
    & Pick<Services, "config" | "database" | "dataVersion" | "listedOptions" | "oneState">;
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

/** What a model should know beyond what those know who write addresses. */
const SAID_TO_MODELS: Partial<Record<FilterName, string>> = {
  q: 'What is looked for, in words: all of them, in any form and order; "quoted words" stand ' +
    "together. Where the site searches by meaning, search_mode says so",
  include_inactive: "true: also releases that were removed from the roadmap",
};

/** The filter of the roadmap as the parameters of a tool, which always searches words. */
export const TOOL_FILTER = Object.fromEntries(
  FILTER_NAMES.filter((name) => name !== "match").map((name) => [name, toToolParameter(name)]),
);

function toToolParameter(name: FilterName): z.ZodType {
  const about = SAID_TO_MODELS[name] ??
    FILTER[name].description!.replace(REPEAT, "").replaceAll("`", "");
  switch (FILTER_PARAMETERS[name]) {
    case "list":
      return z.array(z.string()).max(MAX_VALUES).optional().describe(
        `${about}; any one of several matches. Take values from list_filter_options`,
      );
    case "flag":
      return z.boolean().optional().describe(about);
    default:
      return oneValue(FILTER[name]).optional().describe(about);
  }
}

/** One value as JSON has it, where a parameter of an address is a text. */
function oneValue(parameter: z.ZodType): z.ZodType {
  const { type, enum: choices, minimum, maximum } = z.toJSONSchema(parameter, { io: "input" });
  if (type === "integer") return z.int().min(minimum!).max(maximum!);
  return choices ? z.enum(choices as string[]) : z.string();
}

/** What a tool was called with, as the query of an address; a question is searched by its words. */
export function toQuery(input: Readonly<Record<string, unknown>>): URLSearchParams {
  const pairs = Object.entries(input).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)])
  );
  return new URLSearchParams([...pairs, ["match", "words"]]);
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
  // Programs without types write an empty list where an empty object is meant.
  const given = Array.isArray(params.arguments) && params.arguments.length === 0
    ? {}
    : params.arguments ?? {};
  if (!tool || !isObject(given)) return message;
  const { properties = {} } = z.toJSONSchema(tool.input);
  const read = Object.entries(given).filter(([, value]) => value !== null)
    .map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) ? readValue(value, Object(properties[name])) : value,
    ]);
  return { ...message, params: { ...params, arguments: Object.fromEntries(read) } };
}

/** @param type of the JSON schema that says what a value may be */
function readValue(value: unknown, { type }: { type?: string }): unknown {
  switch (type) {
    case "array": {
      const list = typeof value === "string" && value.trimStart().startsWith("[")
        ? parseJson(value)
        : value;
      return [Array.isArray(list) ? list : value].flat().map((one) =>
        typeof one === "number" ? String(one) : one
      );
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
