import { z } from "zod";
import type { Connection } from "../../database/database.ts";
import { flag, wholeNumber } from "../../http/requests/parameters.ts";
import { daysBefore, isCalendarDate, lastDayOfMonth } from "../../text/dates.ts";
import { FILTER, resolveFilter, takeModified } from "../filter/filter.ts";
import { filterPairs } from "../filter/filter_values.ts";
import { formatPairs } from "../collection.ts";
import { whereFilter } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import { searchWords, type WordServices } from "../words/search_words.ts";
import { checkCursor, cursorParameter, formatCursor } from "./change_cursor.ts";
import { countEntries, type Entry, type EntrySearch, listEntries } from "./entries_sql.ts";
import {
  findDaysBeside,
  type Introduction,
  listMonths,
  readIntroductions,
} from "./page_changelog_sql.ts";
import { kindParameter } from "./changes_query.ts";
import type { KindCounts } from "./kinds.ts";
import { reason } from "../../text/said.ts";

/** A page with more entries would be slow to read and to load. */
const PAGE_SIZE = 100;

const PLACE = /^(\d{4}-\d{2}-\d{2})\.(\d{1,15})$/;

/** The parameters of the page `/changelog`; the filter is one of releases as they are now. */
export const CHANGELOG_PAGE_QUERY = z.object({
  ...FILTER,
  include_inactive: flag().default(true),
  kind: kindParameter(),
  days: wholeNumber({ min: 1, max: 90 }).optional(),
  month: z.string().refine(
    (text) => isCalendarDate(`${text}-01`),
    reason("reason.month"),
  )
    .optional(),
  after: cursorParameter(),
  before: z.string().refine(
    (text) => isCalendarDate(PLACE.exec(text)?.[1] ?? ""),
    "must come from the link to older changes",
  ).optional(),
});

export type ChangelogPageQuery = z.output<typeof CHANGELOG_PAGE_QUERY>;

/** A page of the changelog. */
export interface ChangelogPage {
  entries: Entry[];
  introductions: Introduction[];
  /** All entries but for the kind that is asked for. */
  counts: { total: number; kinds: KindCounts };
  months: { month: string; count: number }[];
  /** The value of `before` for older entries; null: there are none. */
  older: string | null;
}

/**
 * Reads changes by the day on which they were made, the newest first, from a place on.
 *
 * @throws {Problem} 400 where `after` is a cursor of another database, or of a state that is gone
 */
export async function readChangelogPage(
  query: ChangelogPageQuery,
  { variant, today, ...services }: WordServices & { variant: Variant; today: string },
): Promise<ChangelogPage> {
  const { database } = services;
  const { kind, days, month, after } = query;
  if (after) await checkCursor(database, after);
  const { since, filter: given } = takeModified(resolveFilter(query, today));
  const { filter } = await searchWords({ ...given, match: "words" }, services);
  const search: EntrySearch = {
    variant,
    isCovered: whereFilter(filter),
    kind,
    from: latest(since, days === undefined ? undefined : daysBefore(today, days)),
    after: after?.position,
    onlyNews: true,
  };
  const within = month === undefined ? search : { ...search, ...daysOf(month) };
  const [, day, entry_id] = PLACE.exec(query.before ?? "") ?? [];
  const before = day === undefined ? undefined : { day, entry_id: Number(entry_id) };
  const [found, counts, months] = await Promise.all([
    listEntries(database, within, { first: "newest", before, limit: PAGE_SIZE + 1 }),
    countEntries(database, { ...within, kind: undefined }),
    listMonths(database, search),
  ]);
  const entries = found.slice(0, PAGE_SIZE);
  const hasOlder = found.length > PAGE_SIZE;
  const last = entries.at(-1);
  const isOfKind = !kind || kind.includes("added");
  const introductions = !isOfKind || after ? [] : await readIntroductions(database, {
    isCovered: within.isCovered,
    from: latest(within.from, hasOlder ? last?.day : undefined),
    to: earliest(within.to, before && daysBefore(before.day, 1)),
  });
  return {
    entries,
    introductions,
    counts,
    months,
    older: hasOlder && last ? `${last.day}.${last.entry_id}` : null,
  };
}

/** Reads all changes of a day, and the nearest days that have some. */
export async function readChangelogDay(
  day: string,
  { database, variant }: { database: Connection; variant: Variant },
) {
  const search: EntrySearch = { variant, from: day, to: day, onlyNews: true };
  const [entries, introductions, beside] = await Promise.all([
    listEntries(database, search, { first: "newest", limit: MAX_OF_A_DAY }),
    readIntroductions(database, search),
    findDaysBeside(database, variant, day),
  ]);
  const isCut = entries.length === MAX_OF_A_DAY;
  return {
    entries,
    introductions,
    beside,
    ...isCut && { counts: (await countEntries(database, search)).heaviest },
  };
}

/** More changes of one day are on the pages of the changelog. */
const MAX_OF_A_DAY = 1_000;

/** The query of a changelog's address, with its question mark. */
export function changelogPageQuery(
  { include_inactive, kind, days, month, after, before, ...filter }: ChangelogPageQuery,
): string {
  return formatPairs([
    ...Object.entries({ kind, days, month }),
    ...filterPairs(filter),
    ["include_inactive", include_inactive ? undefined : false],
    ["after", after && formatCursor(after)],
    ["before", before],
  ]);
}

function daysOf(month: string): { from: string; to: string } {
  const [year, ofYear] = month.split("-").map(Number);
  return { from: `${month}-01`, to: lastDayOfMonth(year!, ofYear!) };
}

function latest(...days: (string | undefined)[]): string | undefined {
  return days.filter((day) => day !== undefined).sort().at(-1);
}

function earliest(...days: (string | undefined)[]): string | undefined {
  return days.filter((day) => day !== undefined).sort()[0];
}
