import { z } from "zod";
import type { Tool } from "./tool.ts";

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
