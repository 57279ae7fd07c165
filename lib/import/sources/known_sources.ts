import type { SourceKind } from "../../config.ts";
import { csv } from "./csv.ts";
import { fabric } from "./fabric.ts";
import { github, isGithub } from "./github.ts";
import { json } from "./json.ts";
import { m365 } from "./m365.ts";
import { ndjson } from "./ndjson.ts";
import { roadcast } from "./roadcast.ts";
import type { Opening, Source } from "./source.ts";

/** Every kind of source, the particular ones first; plain JSON takes what no other one knows. */
const KNOWN_SOURCES: readonly Source[] = [m365, fabric, roadcast, ndjson, csv, github, json];

/** The kind of a source: the one that is named, or that its location tells before it is opened. */
export function kindOf(location: string, kind: SourceKind | null | undefined): SourceKind | null {
  return kind ?? (isGithub(location) ? "github" : null);
}

/** The source of a kind. */
export function findSource(kind: SourceKind): Source {
  return KNOWN_SOURCES.find((source) => source.kind === kind)!;
}

/** The source that a delivery comes from. */
export function recogniseSource(opening: Opening): Source {
  return KNOWN_SOURCES.find((source) => source.recognises(opening)) ?? json;
}
