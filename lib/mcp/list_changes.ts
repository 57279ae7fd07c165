import { z } from "zod";
import { formatEntry } from "../roadmap/changes/changelog.ts";
import { CHANGE_KINDS } from "../roadmap/changes/kinds.ts";
import { CHANGELOG_QUERY, readChangelog } from "../roadmap/changes/read_changelog.ts";
import { parseFilter } from "../roadmap/filter/filter.ts";
import { groupStories, moveOf, storyInWords } from "../roadmap/changes/stories.ts";
import type { ItemWithChanges } from "../roadmap/changes/changes_sql.ts";
import type { Variant } from "../roadmap/variant.ts";
import { cleanName } from "../text/plain_text.ts";
import { countOf, toLine } from "../text/phrases.ts";
import { pageOf, writeRelease } from "./describe_release.ts";
import { defineTool, TOOL_FILTER, toQuery } from "./tool.ts";

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
      { ...services, variant },
    );
    const releases = items.map((item) => {
      const { active, ...entry } = formatEntry(variant, item);
      const feature_name = cleanName(entry.feature_name);
      const changed_columns = entry.changed_columns.map(toLine);
      const url = pageOf(item.release_item_id, site);
      return {
        ...entry,
        feature_name,
        changed_columns,
        ...variant.showsInactive && { active },
        url,
      };
    });
    const stories = describeStories(variant, items);
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
