import { z } from "zod";
import { isCalendarDate, QUARTER_EXAMPLE, quarterDays } from "../../text/dates.ts";
import { trimWords } from "../../text/match_words.ts";
import { MAX_VALUES, UUID } from "../../text/values.ts";
import { Problem } from "../responses/problem.ts";
import { reason, saidOf } from "../../text/said.ts";

const NO_NUL = reason("reason.nul");

/** The value of any parameter; PostgreSQL does not accept a NUL character. */
function sent() {
  return z.string().refine((value) => !value.includes("\0"), NO_NUL);
}

/**
 * Texts of a parameter that may be repeated, in any order, each as it is stored.
 *
 * @param isRight what each of them has to be, else the whole is refused for this reason
 */
function several(
  isRight: (value: string) => boolean,
  wrong: string,
  { most = MAX_VALUES, store = (value) => value }: {
    most?: number;
    store?: (value: string) => string;
  } = {},
) {
  return z.array(z.string())
    .refine((values) => values.every(isRight), wrong)
    .transform((values) => [...new Set(values.map(store))].sort())
    .refine((values) => values.length <= most, reason("reason.values", { count: most }))
    .optional();
}

/** Exact texts: the parameter may be repeated, in any order. */
export function texts() {
  return several((value) => !value.includes("\0"), NO_NUL);
}

/** Tags such as `Platform:Web`; the first colon divides. */
export function tags() {
  return texts().refine(
    (values) => (values ?? []).every((value) => /^[^:]+:./s.test(value)),
    reason("reason.tag"),
  );
}

/** Some of these words: the parameter may be repeated; any other is refused. */
export function choices<const Word extends string>(words: readonly Word[]) {
  return texts()
    .refine(
      (values = []) => values.every((value) => (words as readonly string[]).includes(value)),
      reason("reason.one_of", { values: words.join(", ") }),
    )
    .transform((values) => values as Word[] | undefined)
    .optional()
    .meta({ items: { enum: [...words] } });
}

/** A day of the calendar, `YYYY-MM-DD`. */
export function day() {
  return sent().transform((value) => value.trim())
    .refine(isCalendarDate, reason("reason.day"))
    .meta({ format: "date" }).optional();
}

/** A day `YYYY-MM-DD`, or a quarter `Q3 2026`, which stands for its first or its last day. */
export function dayOrQuarter(end: "first" | "last") {
  return sent().transform((value) => quarterDays(value.trim())?.[end] ?? value.trim())
    .refine(isCalendarDate, reason("reason.day_or_quarter", { quarter: QUARTER_EXAMPLE }))
    .optional();
}

/** Search words, trimmed; empty means no search; at most 1,000 characters. */
export function searchWords() {
  return sent()
    .transform((value) => trimWords(value) || undefined)
    .refine(
      (value) => [...value ?? ""].length <= 1_000,
      reason("reason.too_long_words", { length: 1_000 }),
    )
    .optional();
}

/** A whole number; one outside the range is set to the nearest bound. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  return z.string()
    .regex(/^\s*[+-]?\d+\s*$/, reason("reason.whole"))
    .transform((value) => Math.min(Math.max(Number(value), min), max))
    .meta({ type: "integer", minimum: min, maximum: max });
}

/**
 * Times before an event, as durations of RFC 5545 (section 3.3.6) in weeks, days or hours: the
 * parameter may repeat.
 */
export function durations({ most }: { most: number }) {
  const isDuration = (value: string) => /^P(?:[1-9]\d?W|[1-9]\d{0,2}D|T[1-9]\d{0,2}H)$/.test(value);
  return several(isDuration, reason("reason.duration"), { most });
}

/** An identifier of 8-4-4-4-12 hexadecimal digits, in any case. */
export function uuid() {
  return z.string().regex(UUID, reason("reason.uuid")).transform((value) => value.toLowerCase());
}

/** Identifiers as of `uuid`: the parameter may repeat, in any order. */
export function uuids() {
  return several((value) => UUID.test(value), reason("reason.uuid"), {
    store: (value) => value.toLowerCase(),
  });
}

/** `true` and `1`, in any case, are true; anything else is false. */
export function flag() {
  return sent().transform((value) => ["true", "1"].includes(value.toLowerCase()));
}

/** A quarter, `Q# YYYY`. */
export function quarter() {
  return sent().refine(
    (text) => quarterDays(text) !== null,
    reason("reason.quarter", { quarter: QUARTER_EXAMPLE }),
  )
    .optional();
}

/** One of some words; any other counts as absent. */
export function choice<const Words extends readonly string[]>(words: Words) {
  return sent()
    .transform((value) => words.find((word) => word === value) as Words[number] | undefined)
    .optional().meta({ enum: [...words] });
}

/** One of some words; any other is refused. */
export function onlyChoice<const Words extends readonly string[]>(words: Words) {
  const named = words.map((word) => `\`${word}\``).join(" or ");
  return z.enum(words, `must be ${named}`).optional();
}

/**
 * Reads the parameters of a request. Unknown ones are ignored; an empty one counts as absent, since
 * forms send every field; of a repeated one the first counts, unless it takes a list.
 *
 * @throws {Problem} 400 that names every parameter that is not of its type
 */
export function parseParameters<Schema extends z.ZodObject>(
  schema: Schema,
  given: URLSearchParams | Readonly<Record<string, string>>,
): z.output<Schema> {
  const values: Record<string, string> = {};
  const listed: Record<string, string[]> = {};
  const entries = given instanceof URLSearchParams ? given.entries() : Object.entries(given);
  for (const [name, value] of entries) {
    if (value === "") continue;
    if (takesList(schema.shape[name])) (listed[name] ??= []).push(value);
    else values[name] ??= value;
  }
  return parseShape(schema, { ...values, ...listed });
}

/** More names than these are not named. */
const MAX_NAMED = 20;

/**
 * The parameters of a request that mean nothing here, sorted: an answer names them as `ignored`, so
 * that nobody takes it for what they asked for.
 *
 * ```ts
 * import { z } from "zod";
 * const schema = z.object({ a: z.string().optional() });
 * if (ignoredNames(schema, new URLSearchParams("a=1&c=2&b=3")).join() !== "b,c") throw new Error();
 * ```
 */
export function ignoredNames(
  schema: z.ZodObject,
  query: URLSearchParams,
): string[] {
  return [...new Set(query.keys())].filter((name) => !Object.hasOwn(schema.shape, name)).sort()
    .slice(0, MAX_NAMED);
}

function takesList(parameter: z.core.$ZodType | undefined): boolean {
  if (parameter instanceof z.ZodOptional) return takesList(parameter.unwrap());
  if (parameter instanceof z.ZodPipe) return takesList(parameter.in);
  return parameter instanceof z.ZodArray;
}

/**
 * Validates the input of a client.
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
    said: saidOf(issue.message),
  }));
  const detail = errors.map(({ name, reason }) => `${name} ${reason}`).join("; ");
  throw new Problem(400, detail, { errors });
}
