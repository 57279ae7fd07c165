import { isNarrowed, searchAddress } from "../components/search/search_query.ts";
import { offeredLists } from "../components/check_list.tsx";
import type { Choices } from "../components/search/search_form.tsx";
import { formatPairs } from "../lib/roadmap/collection.ts";
import {
  type FilterOptions,
  listFields,
  withTagGroups,
} from "../lib/roadmap/filter/filter_options.ts";
import { formatQuarter } from "../lib/text/dates.ts";
import { AsOfNote, Freshness, LastVisit } from "../lib/ui/dates.tsx";
import { judgeReadings } from "../lib/import/source_readings_sql.ts";
import { pageContent } from "../lib/ui/render_page.tsx";
import { Island } from "./(_components)/island.tsx";
import { Layout, skipToResults } from "../lib/ui/layout.tsx";
import { answerSearch, type ParsedSearch, parseSearch } from "./(_components)/read_search.ts";
import { filterPairs } from "../lib/roadmap/filter/filter_values.ts";
import type { Content } from "../lib/http/responses/representation.ts";
import {
  type ClientContext,
  type Context,
  type ReadConfig,
  type ReadHandlers,
  type ReadPlan,
  today,
} from "./route.ts";
import { titleSearch } from "../lib/ui/said_search.ts";
import { toLine } from "../lib/text/phrases.ts";
import { rich, say } from "../lib/text/messages.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "The roadmap as a list or a board",
};

/** The roadmap: a search that works without scripts, as a list or a board. */
export const handler: ReadHandlers = {
  GET: {
    read(input, context) {
      const { query } = input;
      if (query.get("view") === "timeline") return toBoard(query, context);
      const parsed = parseSearch(input, context);
      return {
        normalised: parsed.search,
        build: () => build(parsed, { ...context, client: input.client }),
      };
    },
  },
};

/** Leads an old link to a timeline to the board, which has its quarters. */
function toBoard(query: URLSearchParams, { site }: Context): ReadPlan {
  query.set("view", "board");
  const moved: Content = {
    contentType: "text/plain; charset=utf-8",
    body: "The timeline is a board now.",
    headers: { Location: `${site.path}/?${query}` },
    status: 301,
  };
  return {
    normalised: null,
    build: () => Promise.resolve(moved),
    live: () => Promise.resolve(moved),
  };
}

async function build(parsed: ParsedSearch, context: ClientContext) {
  const { services, site } = context;
  const { search, roadmap } = parsed;
  const { as_of } = search;
  const { answer, options, ...lifetime } = await answerSearch(parsed, context);
  const judged = judgeReadings(
    await services.sourceReadings.read(),
    services.sources.current,
    services.clock(),
  );
  const { SITE_NAME: siteName } = services.config;
  const isList = search.view === "";
  const page = pageContent(
    <Layout
      title={titleSearch(search) || siteName}
      context={context}
      path="/"
      followed={{ ...search, ...answer.also }}
      searched={search.q}
      skip={skipToResults("#results-heading")}
      description={say("roadmap.description", { site: siteName })}
    >
      {as_of !== undefined && (
        <AsOfNote
          day={as_of}
          firstDay={await services.firstDay.read()}
          today={searchAddress(site.path, { ...search, as_of: undefined, page: 1 })}
          compare={`${site.path}/compare${formatPairs([["from", as_of], ...filterPairs(search)])}`}
        />
      )}
      <div class="search-page">
        <h1>{say("layout.roadmap")}</h1>
        <Freshness judged={judged} today={today(services)} />
        {isList && as_of === undefined && <LastVisit context={context} />}
        {as_of === undefined && await services.isSample.read() &&
          (
            <SampleNote
              upload={services.config.ADMIN_TOKEN === null ? null : `${site.path}/admin/uploads`}
            />
          )}
        <Island
          name="Search"
          props={{
            path: site.path,
            siteName,
            choices: {
              lists: offeredLists(
                listFields(withTagGroups(options, search.tag)),
                (name) => search[name].length > 0,
              ),
              showsInactive: site.variant.showsInactive,
              periods: periodsToChoose(search.modified_within_days),
              dates: datesToGoBy(options.date_names, search.date_name),
            },
            quarter: formatQuarter(today(roadmap)),
            query: search,
            answer,
          }}
          context={context}
          isStatic={as_of !== undefined}
        />
        {answer.total === 0 && !isNarrowed(search) && as_of === undefined &&
          <FirstImport hasSource={services.sources.current.length > 0} />}
      </div>
    </Layout>,
  );
  return { ...page, ...lifetime, validUntil: judged.until };
}

const PERIODS = ["1", "7", "14", "30"];

/** Any time, and within how many days; a link may name another period. */
function periodsToChoose(asked: string): Choices["periods"] {
  const periods = new Set(
    ["", ...PERIODS, asked].sort((one, other) => Number(one) - Number(other)),
  );
  return [...periods].map((days) => [
    days,
    days === "" ? say("filter.any_time") : say("filter.days", { days: Number(days) }),
  ]);
}

/** The release date and the named ones; a link may name one in another case, or one that is gone. */
function datesToGoBy(listed: FilterOptions["date_names"], asked: string): Choices["dates"] {
  const names = listed.map(({ name }) => name.toLowerCase() === asked.toLowerCase() ? asked : name);
  if (asked !== "" && !names.includes(asked)) names.push(asked);
  if (names.length === 0) return undefined;
  return {
    label: say("preference.date_name"),
    options: ["", ...names].map((name) => [name, toLine(name) || say("field.release_date")]),
  };
}

/** What to do about an empty roadmap. */
function FirstImport({ hasSource }: { hasSource: boolean }) {
  if (hasSource) return <p class="hint">{say("roadmap.the_roadmap_has_not")}</p>;
  return (
    <p class="hint">
      {rich("roadmap.first_import", {
        command: <code>deno task import FILE-OR-URL</code>,
        setting: <code>ROADMAP_SOURCE</code>,
        sample: <code>deno task start --sample</code>,
      })}
    </p>
  );
}

/** Says that nothing here is real, and how to replace it; a phone has room for the first part. */
function SampleNote({ upload }: { upload: string | null }) {
  return (
    <p class="sample-note">
      {say("roadmap.sample")}
      {say("list.sentences")}
      <span class="wide">
        {rich(
          upload === null ? "roadmap.replace" : "roadmap.replace_or_upload",
          {
            setting: <code>ROADMAP_SOURCE</code>,
            command: <code>deno task import my-roadmap.csv</code>,
            upload: (words) => <a href={upload!}>{words}</a>,
          },
        )}
      </span>
    </p>
  );
}
