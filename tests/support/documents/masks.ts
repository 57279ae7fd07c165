/** The patterns of text that varies between runs, and the word for each, in order. */
const MASKS: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UUID"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/\b\d{4}-\d\d-\d\d\b/g, "DATE"],
  [/\bin \d+\.\d s\b/g, "in DURATION"],
  [/\b\d+\.\d [kMG]B\b/g, "SIZE"],
  [/^\d+(?= {2}TIME)/gm, "RUN"],
  [/\bwhsec_\S+/g, "SECRET"],
  [/\?token=\S+/g, "?token=TOKEN"],
  [/\b(Roadcast|PostgreSQL|pg_trgm|vector) \d+(\.\d+)+/g, "$1 VERSION"],
  [/\b\d+ MB are free/g, "SIZE are free"],
  [/\b\d{4}_\w+\.sql\b/g, "MIGRATION"],
];

/** Replaces text that varies between runs with one word each. */
export function maskVarying(text: string): string {
  return MASKS.reduce((masked, [pattern, word]) => masked.replaceAll(pattern, word), text);
}
