import { MB } from "../../lib/config/config.ts";
import { notifyWebhooks } from "../../lib/delivery/webhooks/queue_webhooks.ts";
import { z } from "zod";
import { SOURCE_KINDS } from "../../lib/config/source_kinds.ts";
import { type ApiAnswer, problemAnswer } from "../../lib/http/openapi.ts";
import { refuseCrossSite } from "../../lib/http/clients/cross_site.ts";
import { PRIVATE_HEADERS } from "../../lib/http/clients/link_token.ts";
import { day, flag, parseParameters } from "../../lib/http/requests/parameters.ts";
import { type FieldError, Problem } from "../../lib/http/responses/problem.ts";
import { readUpload } from "../../lib/http/requests/upload.ts";
import {
  DEFAULT_SOURCE,
  type ImportOptions,
  SOURCE_NAME_PATTERN,
} from "../../lib/import/import_options.ts";
import { noteAction } from "../../lib/admin/note_action.ts";
import type { ImportToken } from "../../lib/admin/import_tokens_sql.ts";
import { readMapping } from "../../lib/admin/uploads/uploads_sql.ts";
import { MAPPING, type Mapping } from "../../lib/import/mapping/fields.ts";
import { ENCODING } from "../../lib/import/sources/source_config.ts";
import type { Services } from "../../lib/service/services.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { previewLocation } from "../../lib/import/preview_snapshot.ts";
import {
  RefusedRemovals,
  SnapshotError,
  type SnapshotProblem,
  SnapshotProblems,
} from "../../lib/import/snapshot_error.ts";
import { ADMIN_ANSWERS, authorizeImport } from "../(_components)/authorize_admin.ts";
import { type ActionConfig, type ActionHandlers, today } from "../route.ts";

const PARAMETERS = z.object({
  as_of: day().describe("Date of changes for which the snapshot has none; default: today"),
  partial: flag().default(false)
    .describe("`true`: the snapshot is partial, items missing from it stay unchanged"),
  allow_mass_removal: flag().default(false)
    .describe(
      "`true`: accept it even if it is empty, or removes more than half, or all of a product with five or more",
    ),
  announce: flag().default(false)
    .describe("`true`: send digests and webhooks even if this is the first import of the source"),
  source_name: z.string().trim().regex(SOURCE_NAME_PATTERN, "must have 1 to 100 characters")
    .optional()
    .describe(
      "Name of the source; an id that is not a UUID becomes the UUID of this name and the id",
    ),
  dry_run: flag().default(false)
    .describe(
      "`true`: store nothing, and report how the data was read, what would be stored, and every problem",
    ),
  kind: z.enum(SOURCE_KINDS, `must be one of ${SOURCE_KINDS.join(", ")}`).optional()
    .describe("Format of the snapshot; default: detected"),
  sheet: z.string().min(1, "must not be empty").optional()
    .describe("Name of the sheet of a spreadsheet (.xlsx); default: the only one with a table"),
  encoding: ENCODING.optional()
    .describe("Encoding of the text, such as `gbk`; default: detected"),
  fields: z.string().optional().describe(
    "Mapping from fields to columns, as JSON; default: that of the source with this name, as it " +
      "is configured or was last used under /admin",
  ),
});

const ITEMS = z.array(z.record(z.string(), z.unknown()));
const TYPES = [
  ...["application/json", "application/x-ndjson", "application/ndjson", "application/jsonl"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ...["application/rss+xml", "application/atom+xml", "application/feed+json"],
  "text/calendar",
  "text/csv",
];
/** How messages and the list of imports name where the items came from. */
const LOCATION = "the body of POST /api/import";

const count = () => z.int().min(0);
const COUNTS = z.strictObject({
  added: count(),
  changed: count(),
  removed: count(),
  restored: count(),
  unchanged: count(),
}).meta({ id: "ImportCounts" });
const RESULT = COUNTS.extend({
  left_out: count().optional().describe("How many rows were left out, if any"),
  left_out_because: z.record(z.string(), count()).optional().describe("How many, by the reason"),
  repaired: count().optional().describe("How many characters or escapes were repaired, if any"),
  notes: z.array(z.string()).optional()
    .describe("What is to be said of the snapshot, such as statuses that are not known"),
  later_snapshot: z.iso.date().optional()
    .describe("The day of an earlier import's snapshot that is later than the day of this one"),
}).meta({ id: "ImportResult" });

const ANSWERS: Readonly<Record<number, ApiAnswer>> = {
  200: {
    description: "The snapshot is stored; for a dry run, what would be",
    schema: z.union([RESULT, z.looseObject({ counts: COUNTS.nullable() })]),
  },
  ...ADMIN_ANSWERS,
  403: problemAnswer(
    "The request came from a page of another site, or the token may not import this source",
  ),
  408: problemAnswer("The body paused for too long"),
  413: problemAnswer("The body is longer than ROADMAP_MAX_MB"),
  415: problemAnswer("The body has an unsupported type"),
  422: problemAnswer("The snapshot is not valid; nothing is stored"),
};

export const config: ActionConfig = {
  errors: "json",
  summary:
    "Imports a snapshot of the roadmap: JSON, CSV, Excel, a calendar or a feed, optionally gzipped",
};

/** Imports a snapshot for clients with the token: `deno task import` over HTTP. */
export const handler: ActionHandlers = {
  POST: {
    isOn: ({ ADMIN_TOKEN: adminToken }) => adminToken !== null,
    describe: () => ({
      tag: "Administration",
      details:
        "A snapshot is the complete state of a source: releases missing from it are removed, " +
        "unless `partial` is true. It is stored as a whole, or not at all if anything is wrong " +
        "with it. A token of `deno task tokens` may import its sources, as ADMIN_TOKEN may all.",
      query: PARAMETERS,
      needsToken: true,
      body: {
        schema: z.union([ITEMS, z.looseObject({ data: ITEMS.optional() })]),
        example: [],
        otherTypes: TYPES.slice(1),
      },
      answers: ANSWERS,
    }),
    async answer(request, { address, target }, { services }) {
      refuseCrossSite(request, services.config);
      const token = await authorizeImport(request, address, services);
      const parameters = parseParameters(PARAMETERS, new URLSearchParams(target.query));
      const { source_name: sourceName = DEFAULT_SOURCE } = parameters;
      if (token) refuseOtherSource(token, sourceName);
      const maxBytes = services.config.ROADMAP_MAX_MB * MB;
      const upload = readUpload(request, { types: TYPES, maxBytes });
      const options: ImportOptions = {
        delivery: { ...upload, address: LOCATION, validators: null, next: null },
        asOf: parameters.as_of ?? today(services),
        partial: parameters.partial,
        allowMassRemoval: parameters.allow_mass_removal,
        announce: parameters.announce,
        kind: parameters.kind,
        sheet: parameters.sheet,
        encoding: parameters.encoding,
        fields: await findFields(parameters, services),
        sourceName: parameters.source_name,
        restorable: token?.sources,
        maxBytes,
        onChange: notifyWebhooks(services.config, services.clock),
        signal: request.signal,
      };
      const take = parameters.dry_run ? previewLocation : importLocation;
      try {
        // It may take longer than the time limit of requests.
        const result = await take(services.databaseForJobs, LOCATION, options);
        if (token && !parameters.dry_run) {
          await noteAction(services.databaseForJobs, {
            who: `token ${token.name}`,
            at: services.clock(),
            action: "imported",
            subject: sourceName,
          });
        }
        return Response.json(result, { headers: PRIVATE_HEADERS });
      } catch (error) {
        throw error instanceof SnapshotError ? toProblem(error) : error;
      }
    },
  },
};

/** @throws {Problem} 403 for a source that the token may not import */
function refuseOtherSource({ sources }: ImportToken, sourceName: string): void {
  if (sources.includes(sourceName)) return;
  throw new Problem(403, `This token may import only ${sources.join(", ")}, not ${sourceName}`);
}

/** The mapping of the request, else that of the configured source, or that of its last upload. */
async function findFields(
  { fields, source_name: name = DEFAULT_SOURCE }: { fields?: string; source_name?: string },
  { sources, databaseForJobs }: Services,
): Promise<Mapping | undefined> {
  if (fields !== undefined) return parseFields(fields);
  const source = sources.current.find((source) => source.name === name);
  if (source) return source.fields;
  const kept = await readMapping(databaseForJobs, name);
  return kept ? MAPPING.parse(kept.fields) : undefined;
}

function parseFields(text: string): Mapping {
  let mapping: unknown;
  try {
    mapping = JSON.parse(text);
  } catch {
    throw wrongFields("is not JSON");
  }
  const { data, error } = MAPPING.safeParse(mapping);
  if (data) return data;
  const [{ path, message }] = error.issues as [typeof error.issues[number]];
  throw wrongFields([...path.map((key) => JSON.stringify(String(key))), message].join(" "));
}

function wrongFields(reason: string): Problem {
  return new Problem(400, `fields ${reason}`, { errors: [{ name: "fields", reason }] });
}

/** The problems of the snapshot, as many as are kept. */
function toProblem(error: SnapshotError): Problem {
  const detail = error instanceof RefusedRemovals
    ? error.describe({ allow: "allow_mass_removal=true", partial: "partial=true" })
    : error.message.split(":\n")[0]!;
  const errors = error instanceof SnapshotProblems
    ? error.problems.map(toFieldError)
    : [{ name: "body", reason: detail }];
  return new Problem(422, detail, { errors });
}

function toFieldError({ field, row, item, column, reason }: SnapshotProblem): FieldError {
  return {
    name: field ?? "body",
    reason,
    ...row !== null && { row },
    ...item !== null && { item },
    ...column !== null && { column },
  };
}
