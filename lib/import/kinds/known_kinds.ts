import type { SourceKind } from "../../config/source_kinds.ts";
import type { ImportOptions } from "../import_options.ts";
import { azure, kindOfOData, m365 } from "./microsoft.ts";
import { csv } from "./csv.ts";
import { feed } from "./feed.ts";
import { fabric } from "./fabric.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { ics } from "./ics.ts";
import { jira } from "./jira.ts";
import { json } from "./json.ts";
import { ndjson } from "./ndjson.ts";
import { xlsx } from "./xlsx.ts";
import { roadcast } from "./roadcast.ts";
import type { Beginning, Kind } from "./kind.ts";

/** Every kind of source, the specific ones first; plain JSON takes everything else. */
const KNOWN_KINDS: readonly Kind[] = [
  m365,
  azure,
  fabric,
  feed,
  roadcast,
  ndjson,
  ics,
  csv,
  xlsx,
  github,
  gitlab,
  jira,
  json,
];

/** The kinds by what a person calls them, in the order of a menu. */
export const KIND_TITLES = Object.fromEntries(
  KNOWN_KINDS.map(({ kind, title }) => [kind, title] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, "en")),
) as Readonly<Record<SourceKind, string>>;

/** Those whose locations begin with their name, as in `gitlab:`. */
const TRACKERS = KNOWN_KINDS.filter(({ form }) => form !== undefined);

/** How the locations of trackers are written. */
export const TRACKER_FORMS = TRACKERS.map(({ form }) => form!.written).join(", ");

/** The kind of a tracker's location: `github:`, `gitlab:` or `jira:`; null of anything else. */
export function kindOfTracker(location: string): SourceKind | null {
  return TRACKERS.find(({ kind }) => location.startsWith(`${kind}:`))?.kind ?? null;
}

/** The kind of a source: the configured one, or the one that its location implies. */
export function kindOf(location: string, kind: SourceKind | null | undefined): SourceKind | null {
  return kind ?? kindOfTracker(location) ?? kindOfOData(location);
}

/** What is known of a kind. */
export function findKind(kind: SourceKind): Kind {
  return KNOWN_KINDS.find((known) => known.kind === kind)!;
}

/** The kind that recognises the content. */
export function recogniseKind(beginning: Beginning): Kind {
  return KNOWN_KINDS.find((known) => known.recognises?.(beginning)) ?? json;
}

/** The options, completed with what the location and its kind imply. */
export function completeOptions(location: string, options: ImportOptions): ImportOptions {
  const kind = kindOf(location, options.kind);
  const own = kind === null ? undefined : findKind(kind).fields;
  const fields = own ? { ...own, ...options.fields } : options.fields ?? undefined;
  return { ...options, kind, fields };
}
