import { byDate } from "../../../lib/service/services.ts";
import { ignoredNames, parseParameters } from "../../../lib/http/requests/parameters.ts";
import type { Content } from "../../../lib/http/responses/representation.ts";
import {
  type ChangesPage,
  changesSchema,
  formatChanges,
  readChanges,
} from "../../../lib/roadmap/changes/api_changes.ts";
import {
  CHANGES_QUERY,
  type ChangesQuery,
  changesQuery,
} from "../../../lib/roadmap/changes/changes_query.ts";
import { linkHeader } from "../../../lib/roadmap/collection.ts";
import { type Context, json, type ReadConfig, type ReadHandlers, today } from "../../route.ts";

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "Every stored change, oldest first, to keep a copy in sync",
};

/** Every change, oldest first, for copies and scripts that follow. */
export const handler: ReadHandlers = {
  GET: {
    describe: (variant) => ({
      tag: "Changes",
      details:
        "Start without `after`; store `next_after` of each response and send it as `after` the " +
        "next time. Each change is then read exactly once, whatever is imported in between.",
      query: CHANGES_QUERY,
      answers: {
        200: {
          description: "The changes after the cursor; never cached with `wait`",
          schema: changesSchema(variant),
          headers: {
            "Link": 'The next page, if there is one, with rel="next" (RFC 8288)',
          },
        },
      },
    }),
    read({ query }, context) {
      const ignored = ignoredNames(CHANGES_QUERY, query);
      const parsed = { ...parseParameters(CHANGES_QUERY, query), ignored };
      return {
        // What is due changes with the day, without an import.
        normalised: { ...parsed, today: today(context.services) },
        build: async () => (await build(parsed, context)).content,
        ...parsed.wait > 0 &&
          { live: (request, network) => waitFor(parsed, { request, network }, context) },
      };
    },
  },
};

/** Answers as soon as there is something behind the cursor, or after the time that was asked for. */
async function waitFor(
  query: AskedChanges,
  asked: { request: Request; network: string },
  context: Context,
): Promise<Content> {
  const { dataVersion, longPolls, oneState } = context.services;
  const read = async (query: AskedChanges) => {
    const { current: version } = dataVersion; // before it is read, so that nothing falls between
    const key = `${context.site.url} ${JSON.stringify(query)}`;
    return {
      version,
      ...await longPolls.build(asked, key, () => oneState.read(() => build(query, context))),
    };
  };
  using turn = longPolls.enter(query.wait, asked.network, asked.request.signal);
  let found = await read(query);
  while (!hasNews(found.page) && await turn.untilNewer(found.version)) {
    found = await read({ ...query, after: found.page.next });
  }
  return found.content;
}

function hasNews({ entries, has_more }: ChangesPage): boolean {
  return entries.length > 0 || has_more;
}

/** What a client asks for, with the parameters that mean nothing here. */
type AskedChanges = ChangesQuery & { ignored: string[] };

async function build(
  { ignored, ...query }: AskedChanges,
  { services, site: { variant, path } }: Context,
): Promise<{ page: ChangesPage; content: Content }> {
  const page = await readChanges(query, {
    ...byDate(services, query.date_name),
    variant,
    today: today(services),
  });
  const next = page.has_more ? `${path}/api/changes${changesQuery(query, page.next)}` : null;
  const headers = linkHeader({ next, prev: null });
  return {
    page,
    content: { ...json(formatChanges(variant, page, ignored)), headers },
  };
}
