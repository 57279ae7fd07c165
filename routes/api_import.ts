import { z } from "zod";
import { workDetached } from "../lib/cancellation.ts";
import { SOURCE_KINDS } from "../lib/config.ts";
import { hasToken, wrongToken } from "../lib/http/bearer_token.ts";
import { refuseCrossSite } from "../lib/http/cross_site.ts";
import { PRIVATE_HEADERS } from "../lib/http/link_token.ts";
import { day, flag, parseParameters } from "../lib/http/parameters.ts";
import { Problem, PROBLEM_SCHEMA } from "../lib/http/problem.ts";
import { readUpload } from "../lib/http/upload.ts";
import { importLocation } from "../lib/import/import_snapshot.ts";
import { SnapshotError } from "../lib/import/sources/snapshot_item.ts";
import { type ActionHandler, type Services, today } from "./route.ts";

const PARAMETERS = z.object({
  as_of: day().describe("The day that changes count for where the snapshot gives none; today"),
  partial: flag().default(false)
    .describe("`true`: the snapshot is not whole, items that it misses stay as they are"),
  allow_mass_removal: flag().default(false)
    .describe("`true`: take it even if it is empty or removes more than half"),
  kind: z.enum(SOURCE_KINDS, `must be one of ${SOURCE_KINDS.join(", ")}`).optional()
    .describe("What the snapshot is; absent: recognised"),
});

const TYPES = [
  ...["application/json", "application/x-ndjson", "application/ndjson", "application/jsonl"],
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

/** Takes a snapshot from whoever has the token: what `deno task import` does, over the network. */
export const postedImport: ActionHandler = {
  isOn: ({ adminToken }) => adminToken !== null,
  describe: () => ({
    query: PARAMETERS,
    needsToken: true,
    body: {
      schema: z.array(z.record(z.string(), z.unknown())),
      example: [],
      otherTypes: TYPES.slice(1),
    },
    answers: {
      200: { description: "All of the snapshot is stored", schema: COUNTS },
      401: {
        description: "The token is missing or wrong",
        schema: PROBLEM_SCHEMA,
        headers: { "WWW-Authenticate": "Bearer" },
      },
      403: { description: "A page of another site sent it", schema: PROBLEM_SCHEMA },
      408: { description: "The body paused for too long", schema: PROBLEM_SCHEMA },
      413: { description: "The body is longer than ROADMAP_MAX_MB", schema: PROBLEM_SCHEMA },
      415: { description: "The body is of another type", schema: PROBLEM_SCHEMA },
      422: {
        description: "The snapshot cannot be taken; nothing is stored",
        schema: PROBLEM_SCHEMA,
      },
      429: {
        description: "Too many wrong tokens came from this network",
        schema: PROBLEM_SCHEMA,
        headers: { "Retry-After": "Seconds until it may try again" },
      },
    },
  }),
  async answer(request, { address, target }, { services }) {
    refuseCrossSite(request);
    await authorize(request, address, services);
    const { as_of, partial, allow_mass_removal, kind } = parseParameters(
      PARAMETERS,
      new URLSearchParams(target.query),
    );
    const maxBytes = services.config.sourceMaxBytes;
    const upload = readUpload(request, { types: TYPES, maxBytes });
    try {
      // The database is asked as by a job: it may take longer than a reader would wait.
      const counts = await workDetached(() =>
        importLocation(services.database, LOCATION, {
          delivery: { ...upload, address: LOCATION, validators: null },
          asOf: as_of ?? today(services),
          partial,
          allowMassRemoval: allow_mass_removal,
          kind,
          maxBytes,
          signal: request.signal,
        })
      );
      return Response.json(counts, { headers: PRIVATE_HEADERS });
    } catch (error) {
      throw error instanceof SnapshotError ? toProblem(error) : error;
    }
  },
};

/** Guessing ends before the token could be found. @throws {Problem} 401, 429 */
async function authorize(
  request: Request,
  address: string,
  { config, limits }: Services,
): Promise<void> {
  await limits.refuseAdminGuessing(address);
  if (hasToken(request, config.adminToken!)) return;
  await limits.countWrongAdminToken(address);
  throw wrongToken();
}

/** The options have other names in a command. */
function toProblem({ message }: SnapshotError): Problem {
  const reason = message
    .replace("--allow-mass-removal", "allow_mass_removal=true")
    .replace("--partial", "partial=true");
  return new Problem(422, reason, { errors: [{ name: "body", reason }] });
}
