import type { SourceKind } from "../../config/settings.ts";
import { azure } from "./azure.ts";
import { csv } from "./csv.ts";
import { feed } from "../feed/feed.ts";
import { fabric } from "./fabric.ts";
import { github } from "./github.ts";
import { gitlab } from "./trackers/gitlab.ts";
import { jira } from "./trackers/jira.ts";
import { json } from "./json.ts";
import { m365 } from "./m365.ts";
import { ndjson } from "./ndjson.ts";
import { kindOfOData } from "./odata.ts";
import { xlsx } from "../spreadsheet/xlsx.ts";
import { roadcast } from "./roadcast.ts";
import type { Opening, Source } from "./source.ts";

/** Every kind of source, the specific ones first; plain JSON takes everything else. */
const KNOWN_SOURCES: readonly Source[] = [
  m365,
  azure,
  fabric,
  feed,
  roadcast,
  ndjson,
  csv,
  xlsx,
  github,
  gitlab,
  jira,
  json,
];

/** The kind of a tracker's location: `github:`, `gitlab:` or `jira:`; null of anything else. */
export function kindOfTracker(location: string): SourceKind | null {
  return /^(github|gitlab|jira):/.exec(location)?.[1] as SourceKind | undefined ?? null;
}

/** The kind of a source: the configured one, or the one that its location implies. */
export function kindOf(location: string, kind: SourceKind | null | undefined): SourceKind | null {
  return kind ?? kindOfTracker(location) ?? kindOfOData(location);
}

/** The source of a kind. */
export function findSource(kind: SourceKind): Source {
  return KNOWN_SOURCES.find((source) => source.kind === kind)!;
}

/** The kind that recognises the content. */
export function recogniseSource(opening: Opening): Source {
  return KNOWN_SOURCES.find((source) => source.recognises(opening)) ?? json;
}
