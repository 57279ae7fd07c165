import { CHANGE_KINDS, KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";
import {
  PREFERENCE_LISTS,
  type PreferenceList,
  type PreferenceName,
  type RELEASE_LISTS,
} from "../../roadmap/filter/preference_lists.ts";
import { DUE_PERIODS } from "../../roadmap/filter/filter_values.ts";
import { describeDue } from "../../roadmap/filter/filter_words.ts";
import type { ListedOptions } from "../../roadmap/filter/filter_options_sql.ts";
import {
  describeUnlisted,
  type ListedValues,
  listTags,
} from "../../roadmap/filter/filter_options.ts";

const KIND_LABELS = Object.fromEntries(
  CHANGE_KINDS.map((kind) => [kind, KINDS_IN_WORDS[kind].name]),
);

const DUE_LABELS = Object.fromEntries(
  DUE_PERIODS.map((
    period,
  ) => [period, describeDue(period)[0]!.replace(/^./, (first) => first.toUpperCase())]),
);

/**
 * The lists that a form of preferences offers. A chosen value that no release has now stays
 * chosen.
 */
export async function readPreferenceLists(
  listedOptions: ListedOptions,
  chosen: Readonly<Record<PreferenceName, readonly string[]>>,
): Promise<PreferenceList[]> {
  const options = await listedOptions.read();
  function listOf(
    name: (typeof RELEASE_LISTS)[number],
    listed: ListedValues,
  ): PreferenceList {
    const { title } = PREFERENCE_LISTS[name];
    const values = [...new Set([...listed.values, ...chosen[name]])];
    return { name, title, values, hint: describeUnlisted(listed, title.toLowerCase()) };
  }
  const tags = listOf("tags", listTags(options.tags));
  return [
    listOf("products", options.product_names),
    listOf("types", options.release_types),
    listOf("statuses", options.release_statuses),
    ...tags.values.length > 0 ? [{ ...tags, labels: labelTags(tags.values) }] : [],
    ...options.sources.values.length + chosen.sources.length > 0
      ? [listOf("sources", options.sources)]
      : [],
    ...chosen.searches.length > 0 ? [listOf("searches", { values: [], total: 0 })] : [],
    {
      name: "due",
      title: PREFERENCE_LISTS.due.title,
      values: DUE_PERIODS,
      labels: DUE_LABELS,
      hint: null,
    },
    {
      name: "kinds",
      title: PREFERENCE_LISTS.kinds.title,
      values: CHANGE_KINDS,
      labels: KIND_LABELS,
      hint: null,
    },
  ];
}

/** `Platform:Web` as `Platform: Web`. */
function labelTags(tags: readonly string[]): Record<string, string> {
  return Object.fromEntries(tags.map((tag) => [tag, tag.replace(":", ": ")]));
}
