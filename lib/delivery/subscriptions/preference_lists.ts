import type { ListName, PreferenceList } from "../../roadmap/filter/preference_list.ts";
import type { ListedOptions } from "../../roadmap/filter/listed_options.ts";
import { describeUnlisted, type ListedValues } from "../../roadmap/filter/listed_values.ts";

/**
 * The lists that a form of preferences offers. A chosen value that no release has now stays
 * chosen.
 */
export async function readPreferenceLists(
  listedOptions: ListedOptions,
  chosen: Readonly<Record<ListName, readonly string[]>>,
): Promise<PreferenceList[]> {
  const options = await listedOptions.read();
  function listOf(
    name: ListName,
    title: string,
    listed: ListedValues,
  ): PreferenceList {
    const values = [...new Set([...listed.values, ...chosen[name]])];
    return { name, title, values, hint: describeUnlisted(listed, title.toLowerCase()) };
  }
  return [
    listOf("products", "Products", options.product_names),
    listOf("types", "Types", options.release_types),
    listOf("statuses", "Statuses", options.release_statuses),
  ];
}
