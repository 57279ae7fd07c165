/** The kinds of sources that a roadmap can be read from; lib/import/kinds has a file for each. */
export const SOURCE_KINDS = [
  "roadcast",
  "json",
  "ndjson",
  "csv",
  "xlsx",
  "fabric",
  "m365",
  "azure",
  "github",
  "feed",
  "gitlab",
  "jira",
  "ics",
] as const;

export type SourceKind = (typeof SOURCE_KINDS)[number];
