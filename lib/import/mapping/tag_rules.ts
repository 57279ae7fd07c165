import { z } from "zod";

/** Where the tags of a group come from: a column, or the labels that begin alike. */
export interface TagRule {
  from?: string;
  /** What stands between the tags of a text. */
  split?: string;
  /** `area/*`: the value of a label is what stands in place of the star. */
  labels?: string;
}

const EXAMPLE = '"Column", {"from": "Column", "split": ","} or {"labels": "area/*"}';

const text = (takes: string) => z.string(`must be ${takes}`).trim().min(1, "must not be empty");

/** What stands between several values of a column; spaces may be all of it. */
export const SEPARATOR = z.string("must be text").min(1, "must not be empty");

const RULE = z.strictObject({
  from: text("the name of a column").optional(),
  split: SEPARATOR.optional(),
  labels: text("text").regex(/^[^*]+\*$/, 'must end with its only star, such as "area/*"')
    .optional(),
}, {
  error: ({ code, keys }) =>
    code === "unrecognized_keys"
      ? `takes from, split and labels, not ${
        (keys as string[]).map((key) => JSON.stringify(key)).join(", ")
      }`
      : `must be ${EXAMPLE}`,
});

const COLUMN_OR_RULE = z.union([text("text").transform((from): TagRule => ({ from })), RULE], {
  error: ({ errors }) => describeInside(errors) ?? `must be ${EXAMPLE}`,
}).superRefine(({ from, split, labels }, context) => {
  if (from === undefined && labels === undefined) context.addIssue('needs "from" or "labels"');
  if (split !== undefined && labels !== undefined) {
    context.addIssue('takes "split" or "labels", not both');
  }
});

/** The groups of tags as a person writes them: `{"Team": "Squad", "Area": {"labels": "area/*"}}`. */
export const TAG_RULES: z.ZodType<Readonly<Record<string, TagRule>>> = z.record(
  z.string(),
  COLUMN_OR_RULE,
  'must be an object such as {"Team": "Squad"}',
).superRefine((rules, context) => {
  for (const group of Object.keys(rules)) {
    const message = group.includes(":")
      ? "must not have a colon, which ends the name of a group in a filter"
      : "must not begin or end with a space, or be empty";
    if (group.includes(":") || group !== group.trim() || group === "") {
      context.addIssue({ code: "custom", path: [group], message });
    }
  }
});

/** The nested error; a union alone would only say that none of its shapes fits. */
export function describeInside(errors: unknown): string | null {
  const issue = (errors as z.core.$ZodIssue[][]).flat().find(({ path }) => path.length > 0);
  return issue
    ? `${issue.path.map((key) => JSON.stringify(String(key))).join(".")} ${issue.message}`
    : null;
}
