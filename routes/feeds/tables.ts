import { z } from "zod";
import { networkOf, siteNetworkOf } from "../../lib/http/client_address.ts";
import { parseParameters } from "../../lib/http/parameters.ts";
import { AS_OF_QUERY, parseAsOf } from "../../lib/roadmap/as_of/as_of_query.ts";
import { CHANGES_QUERY } from "../../lib/roadmap/changes/changes_query.ts";
import { readChanges } from "../../lib/roadmap/changes/read_changes.ts";
import { COLLECTION_QUERY, parseCollection } from "../../lib/roadmap/collection_query.ts";
import {
  formatChangeRows,
  formatReleaseRow,
  headChanges,
  headReleases,
} from "../../lib/roadmap/tables.ts";
import { selectReleases } from "../../lib/search/read_collection.ts";
import type { Services } from "../../lib/service/services.ts";
import { roadmapAsOf } from "../../lib/service/roadmap_services.ts";
import { type ActionHandler, type Context, today } from "../route.ts";

/** Rows are read so many at a time, each time when the client has taken those before. */
const ROWS_AT_ONCE = 50;

/** The releases as a table, in the order of the collection. */
export const releasesTable: ActionHandler = {
  describe: (variant) => ({
    tag: "Releases",
    details:
      "Takes the filters of the collection, and has all pages of it. Opens in Excel: UTF-8 " +
      "with a byte order mark, and an apostrophe before what would be a formula.",
    query: COLLECTION_QUERY.extend(AS_OF_QUERY.shape)
      .omit({
        page: true,
        page_size: true,
        ...!variant.showsInactive && { include_inactive: true },
      }),
    answers: { 200: { description: "The table (RFC 4180)", ...CSV } },
  }),
  async answer(request, { address, target }, { services, site }) {
    const query = new URLSearchParams(target.query);
    const as_of = parseAsOf(query, today(services));
    const collection = { ...parseCollection(query, site.variant), as_of };
    const context = { services: roadmapAsOf(services, as_of), site, client: networkOf(address) };
    const write = async function* () {
      const groups = Object.keys((await context.services.listedOptions.read()).tags).sort();
      yield headReleases(site.variant, groups);
      const { selection } = await selectReleases(collection, context);
      const { items: size } = await context.services.pageSizes.fit(ROWS_AT_ONCE);
      for (let start = 0; start < selection.count; start += size) {
        const items = await context.services.items.read(selection.slice(start, start + size));
        yield items.map((item) => formatReleaseRow(site.variant, item, groups)).join("");
      }
    };
    return await sendTable(request, "releases.csv", { address, services, write });
  },
};

/** The changes as a table, oldest first. */
export const changesTable: ActionHandler = {
  describe: () => ({
    tag: "Changes",
    details: "A row for each field that an import changed of a release; added, removed and " +
      "restored releases have a row without a field.",
    query: TABLE_QUERY.extend({ after: z.string().optional() }),
    answers: { 200: { description: "The table (RFC 4180)", ...CSV } },
  }),
  async answer(request, { address, target }, context) {
    const query = parseParameters(TABLE_QUERY, new URLSearchParams(target.query));
    const write = () => writeChanges(query, context);
    return await sendTable(request, "changes.csv", { address, services: context.services, write });
  },
};

const TABLE_QUERY = CHANGES_QUERY.omit({ limit: true, wait: true });
const CSV = { contentType: "text/csv", schema: z.string() } as const;

async function* writeChanges(
  query: z.output<typeof TABLE_QUERY>,
  { services, site: { variant } }: Context,
): AsyncGenerator<string> {
  const place = { database: services.database, variant, today: today(services) };
  yield headChanges();
  let after = query.after;
  while (true) {
    const page = await readChanges({ ...query, after, limit: ROWS_AT_ONCE }, place);
    yield page.entries.map((entry) => formatChangeRows(variant, entry)).join("");
    if (!page.has_more) return;
    after = page.next;
  }
}

/**
 * Answers with a table that is written while the client takes it: what waits for a slow client is a
 * few rows, and no connection of the database.
 */
async function sendTable(
  request: Request,
  name: string,
  { address, services: { openStreams }, write }: {
    address: string;
    services: Pick<Services, "openStreams">;
    write: () => AsyncGenerator<string>;
  },
): Promise<Response> {
  const headers = {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${name}"`,
    "Cache-Control": "no-cache",
  };
  const body = request.method === "HEAD"
    ? null
    : await openStreams.open(request, siteNetworkOf(address) ?? networkOf(address), write);
  return new Response(body, { headers });
}
