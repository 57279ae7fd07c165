import { byDate } from "../lib/service/services.ts";
import { z } from "zod";
import { formatCalendar } from "../lib/feeds/calendar.ts";
import { durations, parseParameters, texts, wholeNumber } from "../lib/http/requests/parameters.ts";
import { readCalendar } from "../lib/feeds/calendar_sql.ts";
import { CALENDAR_PATH } from "../lib/roadmap/feed_addresses.ts";
import { FILTER, type Filter, parseFilter, resolveFilter } from "../lib/roadmap/filter/filter.ts";
import { formatPairs } from "../lib/roadmap/collection.ts";
import { findReleases } from "../lib/search/search.ts";
import { daysBefore } from "../lib/text/dates.ts";
import { describeChannel } from "./(_components)/feed_at.ts";
import { filterPairs } from "../lib/roadmap/filter/filter_values.ts";
import { type ClientContext, type ReadConfig, type ReadHandlers, today } from "./route.ts";
import { say } from "../lib/text/messages.ts";

const MAX_EVENTS = 2_000;
const DEFAULT_EVENTS = 1_000;
const MAX_ALARMS = 3;
const MAX_DATES = 10;
/** What stands for the release date among the names of dates. */
const RELEASE_DATE = "release";
/** A removed release is listed as cancelled for this many days. */
const CANCELLED_DAYS = 90;

/** A date is stored as a day; see `lib/import/mapping/read_date.ts`. */
const ABOUT_DATES =
  "Each release is shown on the day its source gives, or on the last day of the quarter, month " +
  "or year.";

const CALENDAR_QUERY = z.object({
  ...FILTER,
  limit: wholeNumber({ min: 1, max: MAX_EVENTS }).default(DEFAULT_EVENTS)
    .describe("Maximum number of releases, for each date; those nearest to today"),
  alarm: durations({ most: MAX_ALARMS }).describe(
    "How long before the day of a release to be reminded of it, such as `P7D`, `P2W` or `PT12H`; " +
      `repeat for up to ${MAX_ALARMS} alarms`,
  ),
});

/** Its dates, each of which is read as a filter of its own. */
const DATES_QUERY = z.object({
  date_name: texts().refine(
    (names) => (names ?? []).length <= MAX_DATES,
    `must be at most ${MAX_DATES} names`,
  ).describe(
    "Name of a date, in any case, to show instead of the release date; repeat for an event for " +
      `each of up to ${MAX_DATES}, \`release\` being the release date`,
  ),
});

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "Calendar of the releases with a date",
};

/** The releases with a date, as a calendar. */
export const handler: ReadHandlers = {
  GET: {
    describe: ({ showsInactive }) => ({
      tag: "Feeds",
      details: `An all-day event for each release that has a date. ${ABOUT_DATES}`,
      query: CALENDAR_QUERY.omit(showsInactive ? {} : { include_inactive: true })
        .extend(DATES_QUERY.shape),
      answers: {
        200: {
          description: "The calendar (RFC 5545); a release that was removed within the last " +
            `${CANCELLED_DAYS} days is cancelled`,
          contentType: "text/calendar",
          schema: z.string(),
        },
      },
    }),
    read({ query, client }, context) {
      const { site } = context;
      const { limit, alarm = [], ...filter } = parseFilter(CALENDAR_QUERY, query, site.variant);
      const { date_name } = parseParameters(DATES_QUERY, query);
      const names = (date_name ?? [RELEASE_DATE]).map((name) =>
        name.toLowerCase() === RELEASE_DATE ? undefined : name
      );
      return {
        normalised: { limit, alarm, ...filter, date_name },
        async build() {
          const found = await Promise.all(
            names.map((date_name) =>
              readItems({ ...filter, date_name }, limit, { ...context, client })
            ),
          );
          const items = found.flatMap(({ items }) => items)
            .sort((one, other) => one.release_date < other.release_date ? -1 : 1);
          const { title, page, ttl } = describeChannel(
            { ...filter, date_name: names.length === 1 ? names[0] : undefined },
            context,
          );
          const body = formatCalendar(site.variant, {
            name: title,
            description: say("calendar.about"),
            site: site.url,
            page,
            self: site.url + CALENDAR_PATH + formatPairs([
              ...filterPairs({ ...filter, date_name }),
              ...limit === DEFAULT_EVENTS ? [] : [["limit", String(limit)] as const],
              ...alarm.map((before) => ["alarm", before] as const),
            ]),
            ttl,
            alarms: alarm,
          }, items);
          return {
            contentType: "text/calendar; charset=utf-8",
            body,
            shortLived: found.find(({ shortLived }) => shortLived)?.shortLived,
          };
        },
      };
    },
  },
};

/** The results of a search, removed releases included. */
async function readItems(filter: Filter, limit: number, context: ClientContext) {
  const services = byDate(context.services, filter.date_name);
  const day = today(services);
  const resolved = resolveFilter(filter, day);
  const all = { ...resolved, include_inactive: true };
  const { filter: found, selection, shortLived } = await findReleases(
    all,
    { ...context, services },
    {
      isRule: true,
    },
  );
  const items = await readCalendar(services.database, {
    ids: selection?.slice(0, MAX_EVENTS) ?? null,
    filter: { ...found, include_inactive: resolved.include_inactive },
    removedSince: daysBefore(day, CANCELLED_DAYS),
    today: day,
    limit,
  });
  const date_name = filter.date_name && await asStored(filter.date_name, context);
  return { items: items.map((item) => ({ ...item, ...date_name && { date_name } })), shortLived };
}

/** The name of a date as its source writes it. */
async function asStored(name: string, { services }: ClientContext): Promise<string> {
  const { date_names } = await services.listedOptions.read();
  return date_names.find((stored) => stored.name.toLowerCase() === name.toLowerCase())?.name ??
    name;
}
