import type { Columns } from "./columns.ts";
import { FIELD_NAMES, type FieldRule, type Fields } from "./fields.ts";

/** A mapping as a person writes it. */
export type WrittenMapping = Record<string, unknown>;

/** The mapping that was used: its rules, and the columns that were found by their names. */
export function writeMapping(mapping: Fields, columns: Columns): WrittenMapping {
  const written: WrittenMapping = {};
  for (const field of FIELD_NAMES) {
    const rule = mapping[field];
    const column = columns.originOf(field)?.column ?? null;
    if (rule !== undefined) written[field] = rule && writeRule(rule);
    else if (column !== null) written[field] = column;
  }
  const { tags, where, private_hosts } = mapping;
  return {
    ...written,
    ...tags && {
      tags: Object.fromEntries(Object.entries(tags).map(([name, rule]) => [name, writeRule(rule)])),
    },
    ...where && { where },
    ...private_hosts && { private_hosts },
  };
}

/** A column by its name alone, if that is all; tones with their blanks. */
function writeRule({ tones, ...rule }: Pick<FieldRule, "from" | "tones">): unknown {
  const { from, ...more } = rule;
  if (from !== undefined && tones === undefined && Object.keys(more).length === 0) return from;
  if (tones === undefined) return rule;
  const named = Object.entries(tones).map(([status, tone]) => [status, tone.replace("_", " ")]);
  return { ...rule, tones: Object.fromEntries(named) };
}
