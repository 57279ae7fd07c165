import { byDate } from "../service/services.ts";
import { z } from "zod";
import { parseParameters } from "../http/requests/parameters.ts";
import { CHANGELOG_QUERY, formatEntry, readChangelog } from "../roadmap/changes/api_changelog.ts";
import type { ItemWithChanges } from "../roadmap/changes/api_changelog_sql.ts";
import { readHistory } from "../roadmap/changes/history_sql.ts";
import { CHANGE_KINDS } from "../roadmap/changes/kinds.ts";
import { groupStories, moveOf, storyInWords } from "../roadmap/changes/stories.ts";
import { parseCollection } from "../roadmap/collection.ts";
import { parseFilter } from "../roadmap/filter/filter.ts";
import { listTags } from "../roadmap/filter/filter_options.ts";
import { excerptFor } from "../roadmap/found_item.ts";
import type { Item, ListedItem } from "../roadmap/item.ts";
import { findRelease, RELEASE_PATH } from "../roadmap/releases.ts";
import type { Site } from "../roadmap/sites.ts";
import { statedOf } from "../roadmap/stated.ts";
import { listTagGroups } from "../roadmap/filter/filter_values.ts";
import type { Variant } from "../roadmap/variant.ts";
import { readCollection } from "../search/search.ts";
import { formatPlanned } from "../text/dates.ts";
import { inEnglish } from "../text/messages.ts";
import { marksOf } from "../text/match_words.ts";
import { countOf, shorten, toLine } from "../text/phrases.ts";
import { cleanName, toPlainText } from "../text/plain_text.ts";
import { defineTool, TOOL_FILTER, toQuery } from "./tool.ts";

const DEFAULT_PAGE_SIZE = 10;
/** A list gives no more of a description; `get_release` gives all of it. */
const MAX_FOUND_LENGTH = 1_000;

/** Finds releases: the collection of `/api/releases`. */
export const searchReleases = defineTool({
  name: "search_releases",
  title: "Search releases",
  description: () =>
    "Finds features on this product release roadmap: what is planned, in preview or shipped, for " +
    "which product, and for when. Without parameters it lists the releases that changed last. Use " +
    "it first for any question about upcoming or past features, and for counting: total_items " +
    "says how many match. All parameters narrow together. Descriptions are shortened; get_release " +
    "gives a release in full, with its history.",
  input: z.strictObject({
    ...TOOL_FILTER,
    sort: z.enum(["last_modified", "release_date", "relevance"]).optional().describe(
      "What comes first: what changed last (default without q), what is planned for the latest " +
        "date, or the best match for q",
    ),
    order: z.enum(["asc", "desc"]).optional()
      .describe("Of last_modified and release_date: desc (default) is latest first"),
    page: z.int().min(1).optional().describe("Counted from 1"),
    page_size: z.int().min(1).max(50).optional()
      .describe(`Releases on a page, default ${DEFAULT_PAGE_SIZE}`),
  }),
  output: (variant) =>
    z.strictObject({
      releases: z.array(releaseSchema(variant)),
      total_items: z.int().describe("Number of matching releases, on all pages"),
      page: z.int(),
      total_pages: z.int(),
      next_page: z.int().nullable().describe("null on the last page"),
      search_mode: z.enum(["semantic", "related", "words", "similar", "any-word", "substring"])
        .nullable()
        .describe(
          "How q was searched: by meaning, by every word, or as near as it came; null without q",
        ),
    }),
  async answer({ page_size = DEFAULT_PAGE_SIZE, ...input }, context) {
    const { site } = context;
    const query = parseCollection(toQuery({ ...input, page_size }), site.variant);
    const sorted = query.q !== undefined && input.sort === undefined
      ? { ...query, sort: "relevance" as const }
      : query;
    const { items, pagination, mode } = await readCollection(sorted, {
      ...context,
      services: byDate(context.services, query.date_name),
    });
    const { total_items, page, total_pages, next_page } = pagination;
    const head = `${countOf(total_items, "release")} found` +
      (total_pages > 1 ? `; this is page ${page} of ${total_pages}.` : ".");
    return {
      structured: {
        releases: items.map((item) => describeRelease(item, { site, longest: MAX_FOUND_LENGTH })),
        total_items,
        page,
        total_pages,
        next_page,
        search_mode: mode,
      },
      text: [head, ...items.map((item) => writeRelease(item, { site, words: query.q }))]
        .join("\n\n"),
    };
  },
});

const MAX_CHANGES = 100;
const MAX_DESCRIPTION_LENGTH = 50_000;
/** A history is no place for whole descriptions. */
const MAX_CHANGE_LENGTH = 1_000;

/** One release with what it went through: `/api/releases` and `/api/releases/history`. */
export const getRelease = defineTool({
  name: "get_release",
  title: "Get a release",
  description: () =>
    "Returns one release of the roadmap in full, with its history: when it was added, how its date, " +
    "status and texts changed, whether it was removed. Use it to answer whether something slipped " +
    "or what changed about a feature. The id comes from search_releases or list_changes; it is " +
    "also the last part of the address of a release's page.",
  input: z.strictObject({
    release_item_id: z.string().describe("UUID of the release"),
  }),
  output: (variant) =>
    z.strictObject({
      release: releaseSchema(variant),
      history: z.array(z.strictObject({
        changed_columns: variant.changedColumnsSchema,
        last_modified: z.string().describe("The day of the change"),
      })).describe(`Newest first, at most the last ${MAX_CHANGES}`),
      more_changes: z.int().describe("Number of older changes"),
    }),
  async answer(input, context) {
    const { services, site } = context;
    const { variant } = site;
    const { release_item_id: id } = parseParameters(RELEASE_PATH, toQuery(input));
    const item = await findRelease(id, context);
    const { changes, total } = await readHistory(services.database, id, {
      variant,
      per: variant.historyShows,
      end: MAX_CHANGES,
    });
    const history = variant.formatHistory(changes).map(({ changed_columns, last_modified }) => ({
      changed_columns: typeof changed_columns === "string"
        ? shorten(toLine(changed_columns), MAX_CHANGE_LENGTH)
        : changed_columns,
      last_modified,
    }));
    const { feature_description, ...listed } = item;
    const text = toPlainText(shorten(feature_description ?? "", MAX_DESCRIPTION_LENGTH));
    return {
      structured: {
        release: describeRelease(item, { site, longest: MAX_DESCRIPTION_LENGTH }),
        history,
        more_changes: Math.max(0, total - MAX_CHANGES),
      },
      text: [
        writeRelease(listed, { site }),
        ...text ? [text] : [],
        [
          "History, newest first:",
          ...history.map(({ changed_columns, last_modified }) =>
            `${last_modified}: ${[changed_columns].flat().join(", ")}`
          ),
        ].join("\n"),
      ].join("\n\n"),
    };
  },
});

const MAX_RELEASES = 50;

/** What changed lately: the changelog of `/api/changelog`. */
export const listChanges = defineTool({
  name: "list_changes",
  title: "List recent changes",
  description: ({ showsInactive }) =>
    "Lists recently changed releases of this roadmap, newest day first, each with what " +
    "changed on its last day: added, a date or status that moved, a text that was rewritten" +
    (showsInactive ? ", removed, restored. " : ". ") +
    `Use it for "what is new" and "what was delayed". At most ${MAX_RELEASES} releases; ` +
    "more_releases is the number left out: narrow by fewer days or by the filter.",
  input: z.strictObject({
    days: z.int().min(1).max(90).optional()
      .describe("Number of days to look back from today, default 30"),
    kind: z.array(z.enum(CHANGE_KINDS)).optional()
      .describe("Only releases with such a change on their last day; any one of several matches"),
    date: z.string().optional()
      .describe(
        "Only changes dated this day (YYYY-MM-DD), whatever happened since; instead of days",
      ),
    ...TOOL_FILTER,
    include_inactive: z.boolean().optional()
      .describe("false: without releases that were removed from the roadmap (default true)"),
  }),
  output: (variant) =>
    z.strictObject({
      releases: z.array(z.strictObject({
        release_item_id: z.string(),
        feature_name: z.string(),
        product_name: z.string(),
        release_type: z.string(),
        release_status: z.string(),
        release_date: z.string().nullable(),
        last_modified: z.string().describe("The day of these changes"),
        ...variant.showsInactive && { active: z.boolean() },
        changed_columns: z.array(z.string()).describe("What changed on that day"),
        url: z.url().describe("Its page; link to it in what you write"),
      })),
      stories: z.array(z.string())
        .describe("The same that happened to several releases of a product in one import"),
      total_releases: z.int(),
      more_releases: z.int().describe("Number of changed releases that are not listed"),
    }),
  async answer(input, { services, site }) {
    const { variant } = site;
    const parsed = parseFilter(CHANGELOG_QUERY, toQuery(input), variant);
    const { items, pagination } = await readChangelog(
      parsed,
      MAX_RELEASES,
      { ...byDate(services, parsed.date_name), variant },
    );
    const releases = items.map((item) => {
      const { active, ...entry } = formatEntry(variant, item);
      const feature_name = cleanName(entry.feature_name);
      const changed_columns = entry.changed_columns.map(toLine);
      const shown = variant.showsInactive && { active };
      const url = pageOf(item.release_item_id, site);
      return { ...entry, feature_name, changed_columns, ...shown, url };
    });
    const stories = inEnglish(() => describeStories(variant, items));
    const { total_items } = pagination;
    const more = total_items - releases.length;
    return {
      structured: { releases, stories, total_releases: total_items, more_releases: more },
      text: [
        `${countOf(total_items, "release")} changed ${
          parsed.date === undefined ? `within ${countOf(parsed.days, "day")}` : `on ${parsed.date}`
        }` +
        (more > 0 ? `; these are the last ${releases.length}.` : "."),
        ...stories.map((story) => `- ${story}`),
        ...items.map((item, place) =>
          [
            writeRelease(item, { site }),
            ...releases[place]!.changed_columns.map((words) => `- ${words}`),
          ].join("\n")
        ),
      ].join("\n\n"),
    };
  },
});

/** What happened to several releases alike, a sentence each. */
function describeStories(variant: Variant, items: readonly ItemWithChanges[]): string[] {
  const entries = items.flatMap(({ product_name, changes }) => {
    const kinds = changes.flatMap(({ kinds }) => kinds[variant.datePrecision]);
    if (kinds.length === 0) return [];
    const { run_id } = changes.at(-1)!;
    return [{ product_name, run_id, move: moveOf(variant, { kinds, changes }) }];
  });
  return groupStories(entries).flatMap((line) =>
    "entries" in line ? [toLine(storyInWords(line))] : []
  );
}

const VALUES = z.strictObject({
  values: z.array(z.string()),
  more: z.int().describe("Number of further values that few releases have"),
});

/** What the filter can be set to: `/api/filter-options`. */
export const listFilterOptions = defineTool({
  name: "list_filter_options",
  title: "List filter options",
  description: () =>
    "Lists the products, release types, statuses, tags, sources and named dates that releases of " +
    "this roadmap have now. Ask it before you filter by product_name, release_type, release_status, tag, " +
    "source or date_name: they match these values exactly and no others. Tags are written Group:Value, such " +
    "as Platform:Web.",
  input: z.strictObject({}),
  output: () =>
    z.strictObject({
      product_names: VALUES,
      release_types: VALUES,
      release_statuses: VALUES,
      tags: VALUES.optional(),
      sources: VALUES.optional().describe("Where there is more than one source"),
      date_names: VALUES.optional().describe("Where releases have dates beside the release date"),
    }),
  async answer(_input, { services: { listedOptions } }) {
    const options = await listedOptions.read();
    const { product_names, release_types, release_statuses, sources } = options;
    const dateNames = options.date_names.map(({ name }) => name);
    const tags = listTags(options.tags);
    const lists = Object.entries({
      product_names,
      release_types,
      release_statuses,
      ...tags.total > 0 && { tags },
      ...sources.total > 0 && { sources },
      ...dateNames.length > 0 &&
        { date_names: { values: dateNames, total: dateNames.length } },
    });
    const described = lists.map(([name, { values, total }]) =>
      // Pages list them as their language sorts, programs by code unit.
      [name, { values: values.toSorted(), more: total - values.length }] as const
    );
    return {
      structured: Object.fromEntries(described),
      text: described.map(([name, { values, more }]) =>
        [
          `${name}:`,
          ...values.map((value) => `- ${value}`),
          ...more > 0 ? [`and ${more} more`] : [],
        ].join("\n")
      ).join("\n\n"),
    };
  },
});

/** The address of the page of a release. */
function pageOf(id: string, { url }: Site): string {
  return `${url}/release/${id}`;
}

/** A release as a tool gives it: in the shape of the variant, with its page. */
function describeRelease(
  item: Item,
  { site, longest }: { site: Site; longest: number },
): Record<string, unknown> {
  const description = item.feature_description;
  return {
    ...site.variant.formatItem({
      ...item,
      feature_name: cleanName(item.feature_name),
      feature_description: description && shorten(description, longest),
    }),
    url: pageOf(item.release_item_id, site),
  };
}

/** The schema of `describeRelease`. */
function releaseSchema({ itemSchema }: Variant) {
  return itemSchema.extend({ url: z.url().describe("Its page; link to it in what you write") });
}

/** A release in a few lines of text. */
function writeRelease(
  item: ListedItem & Partial<Pick<Item, "feature_description">>,
  { site, words }: { site: Site; words?: string },
): string {
  const date = item.release_date &&
    inEnglish(() => formatPlanned(site.variant.formatDate(item.release_date!)));
  const facts = [
    ...item.active ? statedOf(item.release_status).map(toLine) : ["removed from the roadmap"],
    ...statedOf(item.release_type).map(toLine),
    date ? `planned for ${date}` : "no date",
    `changed ${item.last_modified}`,
    ...listTagGroups(item.tags).map(([group, values]) =>
      `${toLine(group)}: ${values.map(toLine).join(", ")}`
    ),
  ];
  const products = item.product_names.map(toLine).join(", ");
  const excerpt = excerptFor(item.feature_description ?? null, words ? marksOf(words) : undefined);
  return [
    `${cleanName(item.feature_name)} (${products}): ${facts.join(", ")}`,
    ...excerpt ? [excerpt] : [],
    pageOf(item.release_item_id, site),
  ].join("\n");
}
