import { z } from "zod";

/**
 * The values that a column may have, or with `not`, those that it must not have: `*` is any value,
 * and an empty text is none.
 */
export type Condition = string | readonly string[] | { readonly not: string | readonly string[] };

/** Which rows belong to the roadmap: every column must fit. */
export type Where = Readonly<Record<string, Condition>>;

const EXAMPLE = '"text", ["one", "another"] or {"not": ["text"]}; "*" is anything, "" nothing';
const word = z.string(`must be ${EXAMPLE}`).trim();
const words = z.union([word, z.array(word).min(1)], `must be ${EXAMPLE}`);

/** Conditions as a person writes them: `{"Labels": "public", "Status": {"not": ["Won't do"]}}`. */
export const WHERE: z.ZodType<Where> = z.record(
  z.string(),
  z.union([words, z.strictObject({ not: words })], `must be ${EXAMPLE}`),
  "must be an object, from columns to values",
);
