import { z } from "zod";
import { MAX_VALUES } from "../../text/values.ts";
import { CHANGE_KINDS } from "../changes/kinds.ts";
import { MAX_SEARCHES } from "../words/searches_sql.ts";
import { DUE_PERIODS } from "./filter_values.ts";
import { filterOf, listsOf } from "./preference_lists.ts";
import { reason } from "../../text/said.ts";

const MAX_VALUE_LENGTH = 200;

/** A value that a subscription or a webhook is narrowed to. */
export const VALUE = z.string("must be text")
  .min(1, reason("reason.empty"))
  .max(MAX_VALUE_LENGTH, reason("reason.too_long", { length: MAX_VALUE_LENGTH }))
  .refine((value) => !value.includes("\0"), reason("reason.nul"));

const valuesUpTo = (most: number) =>
  z.array(VALUE, "must be a list of strings")
    .max(most, reason("reason.values", { count: most }))
    .transform((values) => [...new Set(values.map((value) => value.toWellFormed()))])
    .nullish().transform((values) => values ?? []);

const someOf = <const Value extends string>(values: readonly Value[]) => {
  const wrong = reason("reason.one_of", { values: values.join(", ") });
  const value = z.enum(values, wrong);
  return z.union([value, z.array(value)], wrong)
    .nullish().transform((given) => [...new Set([given ?? []].flat())]);
};

/** Any list but that of searches. */
export const VALUES = valuesUpTo(MAX_VALUES);

/** One value, as it is or in a list; empty, or absent: none. */
const ONE = z.union([z.string(), z.array(z.string())], "must be text").nullish()
  .transform((given) => [given ?? []].flat().filter((value) => value !== ""))
  .pipe(z.array(VALUE).max(1, "must have at most 1 value"));

/** What a subscription or a webhook is narrowed to, by the names of the filter. */
export const CHOSEN = {
  product_name: VALUES,
  release_type: VALUES,
  release_status: VALUES,
  source: VALUES,
  tag: VALUES.refine(
    (tags) => tags.every((tag) => /^[^:]+:./s.test(tag)),
    reason("reason.tags"),
  ),
  q: valuesUpTo(MAX_SEARCHES),
  due: someOf(DUE_PERIODS),
  date_name: ONE,
  kind: someOf(CHANGE_KINDS),
} as const;

const FILTER = z.object(CHOSEN);

/**
 * Reads what is chosen as people type it: blanks around a value and empty values do not count. A
 * mistake names the list.
 *
 * ```ts
 * const { filter } = readChosen({ tag: [" Team:Blue ", ""], q: [] });
 * if (JSON.stringify(filter) !== '{"tag":["Team:Blue"]}') throw new Error();
 * ```
 */
export function readChosen(
  given: Readonly<Partial<Record<keyof typeof CHOSEN, readonly string[]>>>,
): { filter: ReturnType<typeof filterOf>; mistakes: readonly { name: string; reason: string }[] } {
  const typed = Object.fromEntries(
    Object.entries(given).map(([name, values]) => [
      name,
      values.map((value) => value.trim()).filter((value) => value !== ""),
    ]),
  );
  const { data, error } = FILTER.safeParse(typed);
  if (data) return { filter: filterOf(listsOf(data)), mistakes: [] };
  return {
    filter: {},
    mistakes: error.issues.map(({ path: [name], message }) => ({
      name: String(name),
      reason: message,
    })),
  };
}
