import { CHANGE_KINDS, nameKind } from "../../roadmap/changes/kinds.ts";
import {
  PREFERENCE_LISTS,
  type PreferenceList,
  type PreferenceName,
  type RELEASE_LISTS,
  titleList,
} from "../../roadmap/filter/preference_lists.ts";
import { DUE_PERIODS } from "../../roadmap/filter/filter_values.ts";
import { describeDue } from "../../roadmap/filter/filter_words.ts";
import type { ListedOptions } from "../../roadmap/filter/filter_options_sql.ts";
import {
  describeUnlisted,
  type ListedValues,
  listTags,
} from "../../roadmap/filter/filter_options.ts";
import { say } from "../../text/messages.ts";
import { capitalise } from "../../text/phrases.ts";

/**
 * The lists that a form of preferences offers. A chosen value that no release has now stays
 * chosen.
 */
export async function readPreferenceLists(
  { listedOptions }: { listedOptions: ListedOptions },
  chosen: Readonly<Record<PreferenceName, readonly string[]>>,
): Promise<PreferenceList[]> {
  const options = await listedOptions.read();
  const dateNames = options.date_names.map(({ name }) => name);
  const isListed = (one: string) =>
    dateNames.some((name) => name.toLowerCase() === one.toLowerCase());
  dateNames.push(...chosen.date_name.filter((name) => !isListed(name)));
  function listOf(
    name: (typeof RELEASE_LISTS)[number],
    listed: ListedValues,
  ): PreferenceList {
    const values = [...new Set([...listed.values, ...chosen[name]])];
    const list = PREFERENCE_LISTS[name].one;
    const hint = list === "search" || list === "due" ? null : describeUnlisted(listed, list);
    return { name, title: titleList(name), values, hint };
  }
  const tags = listOf("tags", listTags(options.tags));
  return [
    listOf("products", options.product_names),
    listOf("types", options.release_types),
    listOf("statuses", options.release_statuses),
    ...tags.values.length > 0
      ? [{ ...tags, labels: labels(tags.values, (tag) => tag.replace(":", ": ")) }]
      : [],
    ...options.sources.values.length + chosen.sources.length > 0
      ? [listOf("sources", options.sources)]
      : [],
    ...chosen.searches.length > 0 ? [listOf("searches", { values: [], total: 0 })] : [],
    {
      name: "due",
      title: titleList("due"),
      values: DUE_PERIODS,
      labels: labels(DUE_PERIODS, (period) => capitalise(describeDue(period)[0]!)),
      hint: null,
    },
    ...dateNames.length > 0
      ? [{
        name: "date_name" as const,
        title: titleList("date_name"),
        values: ["", ...dateNames],
        labels: { "": say("field.release_date") },
        hint: null,
      }]
      : [],
    {
      name: "kinds",
      title: titleList("kinds"),
      values: CHANGE_KINDS,
      labels: labels(CHANGE_KINDS, nameKind),
      hint: null,
    },
  ];
}

function labels<Value extends string>(values: readonly Value[], label: (value: Value) => string) {
  return Object.fromEntries(values.map((value) => [value, label(value)]));
}
