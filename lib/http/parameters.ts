import { z } from "zod";
import { UUID } from "../text/uuid.ts";
import { Problem } from "./problem.ts";

/** What a client sends for any parameter. PostgreSQL cannot store NUL, so that nothing is like it. */
function sent() {
  return z.string().refine((value) => !value.includes("\0"), "must not hold a NUL character");
}

/** A text that is compared as it stands. */
export function text() {
  return sent().optional();
}

/** Words to search for: trimmed, nothing left is no search; at most 1,000 characters. */
export function searchWords() {
  return sent()
    .transform((value) => value.trim() || undefined)
    .refine((value) => [...value ?? ""].length <= 1_000, "must be at most 1,000 characters")
    .optional();
}

/** A whole number; one outside the range takes the nearest bound. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  return z.string()
    .regex(/^\s*[+-]?\d+\s*$/, "must be a whole number")
    .transform((value) => Math.min(Math.max(Number(value), min), max))
    .meta({ type: "integer", minimum: min, maximum: max });
}

/** An identifier of 8-4-4-4-12 hexadecimal digits, in any case. */
export function uuid() {
  return z.string().regex(UUID, "must be a UUID").transform((value) => value.toLowerCase())
    .meta({ format: "uuid" });
}

/** `true` and `1`, in any case, are true; anything else is false. */
export function flag() {
  return sent().transform((value) => ["true", "1"].includes(value.toLowerCase()));
}

/** One of some words; an unknown one counts as absent. */
export function choice<const Words extends readonly string[]>(words: Words) {
  return sent()
    .transform((value) => words.find((word) => word === value) as Words[number] | undefined)
    .optional().meta({ enum: [...words] });
}

/**
 * Reads the parameters of a request. Unknown ones are ignored, of a repeated one the first
 * counts, and an empty one is absent, as forms send every field.
 *
 * @throws {Problem} 400 that names every parameter that is not of its type
 */
export function parseParameters<Schema extends z.ZodType>(
  schema: Schema,
  given: URLSearchParams | Readonly<Record<string, string>>,
): z.output<Schema> {
  const values: Record<string, string> = {};
  const entries = given instanceof URLSearchParams ? given.entries() : Object.entries(given);
  for (const [name, value] of entries) if (value !== "") values[name] ??= value;
  return parseShape(schema, values);
}

/**
 * Reads what a client sent.
 *
 * @throws {Problem} 400 that names every field that is wrong; the whole is called `body`
 */
export function parseShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const errors = error.issues.map((issue) => ({
    name: issue.path.join(".") || "body",
    reason: issue.message,
  }));
  const detail = errors.map(({ name, reason }) => `${name} ${reason}`).join("; ");
  throw new Problem(400, detail, { errors });
}
