import { byDate } from "../lib/service/services.ts";
import { CSV, ROWS_AT_ONCE, sendTable } from "./(_components)/csv.ts";
import type { z } from "zod";
import { parseParameters } from "../lib/http/requests/parameters.ts";
import { CHANGES_QUERY } from "../lib/roadmap/changes/changes_query.ts";
import { readChanges } from "../lib/roadmap/changes/api_changes.ts";
import { formatChangeRows, headChanges } from "../lib/roadmap/tables.ts";
import { type ActionConfig, type ActionHandlers, type Context, today } from "./route.ts";

export const config: ActionConfig = {
  errors: "json",
  summary: "The changes as a table for spreadsheets, oldest first",
};

export const handler: ActionHandlers = {
  GET: {
    describe: () => ({
      tag: "Changes",
      details: "A row for each field that an import changed of a release; added, removed and " +
        "restored releases have a row without a field.",
      query: TABLE_QUERY,
      answers: { 200: { description: "The table (RFC 4180)", ...CSV } },
    }),
    async answer(request, { address, target }, context) {
      const query = parseParameters(TABLE_QUERY, new URLSearchParams(target.query));
      const write = () => writeChanges(query, context);
      return await sendTable(request, "changes.csv", {
        address,
        services: context.services,
        write,
      });
    },
  },
};

const TABLE_QUERY = CHANGES_QUERY.omit({ limit: true, wait: true });

async function* writeChanges(
  query: z.output<typeof TABLE_QUERY>,
  { services, site: { variant } }: Context,
): AsyncGenerator<string> {
  const place = { ...byDate(services, query.date_name), variant, today: today(services) };
  yield headChanges();
  let after = query.after;
  while (true) {
    const page = await readChanges({ ...query, after, limit: ROWS_AT_ONCE }, place);
    yield page.entries.map((entry) => formatChangeRows(variant, entry)).join("");
    if (!page.has_more) return;
    after = page.next;
  }
}
