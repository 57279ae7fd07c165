import type { SourceKind } from "../../config.ts";
import { csv } from "./csv.ts";
import { fabric } from "./fabric.ts";
import { json } from "./json.ts";
import { m365 } from "./m365.ts";
import { ndjson } from "./ndjson.ts";
import { roadcast } from "./roadcast.ts";
import type { Opening, Source } from "./source.ts";

/** Every kind of source, the particular ones first; plain JSON takes what no other one knows. */
const KNOWN_SOURCES: readonly Source[] = [m365, fabric, roadcast, ndjson, csv, json];

/** The source of a kind. */
export function findSource(kind: SourceKind): Source {
  return KNOWN_SOURCES.find((source) => source.kind === kind)!;
}

/** The source that a delivery comes from. */
export function recogniseSource(opening: Opening): Source {
  return KNOWN_SOURCES.find((source) => source.recognises(opening)) ?? json;
}
