import type { ComponentChildren } from "preact";
import { offeredLists } from "../../components/check_list.tsx";
import { FilterForm, MoreMenu } from "../../components/filter_form.tsx";
import {
  type FilterOptions,
  type ListedValues,
  listFields,
  withTagGroups,
} from "../roadmap/filter/filter_options.ts";
import type { Filter } from "../roadmap/filter/filter.ts";
import { formatPairs } from "../roadmap/collection.ts";
import {
  filterPairs,
  hiddenPairs,
  LIST_NAMES,
  toFilterValues,
} from "../roadmap/filter/filter_values.ts";
import { describeOne, listChosen } from "../roadmap/filter/filter_words.ts";
import { Scripts } from "./render_page.tsx";
import type { PageContext } from "./brand.tsx";
import { say } from "../text/messages.ts";

/** The filters that have fields; the form keeps all others. */
const FIELDS = [...LIST_NAMES, "include_inactive"] as const;

interface FilterBarProps {
  /** The address of the page. */
  action: string;
  filter: Filter;
  options: FilterOptions<ListedValues>;
  /** It can be chosen whether removed releases count; without a choice they do. */
  showsRemoved: boolean;
  /** Parameters of the page's own, which stay as they are. */
  hidden?: readonly (readonly [name: string, value: string])[];
  /** The values of fields of the page's own, which taking a filter off keeps. */
  kept?: readonly (readonly [name: string, value: string])[];
  /** Fields of the page's own. */
  children?: ComponentChildren;
  context: PageContext;
}

/**
 * The filter of a page that shows what passes it, in the look of that of the roadmap. A script
 * (scripts/in_place.ts) applies each choice at once; without it this is a plain form.
 */
export function FilterBar(
  { action, filter, options, showsRemoved, hidden = [], kept = [], children, context }:
    FilterBarProps,
) {
  const hidesRemoved = showsRemoved && !filter.include_inactive;
  const others = hiddenPairs(filter, FIELDS);
  const more = [
    ...hidesRemoved ? [say("filter.without_removed")] : [],
    ...listChosen(toFilterValues(Object.fromEntries(others))).map(({ words }) => words),
  ];
  const chosen = more.length +
    LIST_NAMES.reduce((sum, name) => sum + (filter[name]?.length ?? 0), 0);
  const pairs: readonly (readonly [string, string])[] = [
    ...hidden,
    ...kept,
    ...filterPairs({ ...filter, include_inactive: hidesRemoved ? "false" : "" }),
  ];
  const without = (names: readonly string[], prefix = "") => ({
    href: action +
      formatPairs(
        pairs.filter(([name, value]) => !names.includes(name) || !value.startsWith(prefix)),
      ),
  });
  const lists = offeredLists(
    listFields(withTagGroups(options, filter.tag)),
    (name) => filter[name] !== undefined,
  ).map((list) => ({
    ...list,
    chosen: filter[list.name] ?? [],
    takeOff: without([list.name], list.prefix),
  }));
  return (
    <>
      <FilterForm
        form={{
          class: "filter-bar",
          action,
          method: "get",
          "data-live": "content",
          "data-morph": "content",
        }}
        count={chosen}
        lists={lists}
        first={children}
        apply={say("filter.apply")}
        hidden={hidden}
      >
        {(showsRemoved || others.length > 0) && (
          <MoreMenu
            chosen={more}
            takeOff={without(["include_inactive", ...others.map(([name]) => name)])}
            filter={filter}
            shown={FIELDS}
            wordsOf={describeOne}
          >
            {showsRemoved && (
              <label class="check">
                <input
                  type="checkbox"
                  name="include_inactive"
                  value="false"
                  checked={hidesRemoved}
                />
                {say("filter.hide_removed")}
              </label>
            )}
          </MoreMenu>
        )}
      </FilterForm>
      <Scripts files={context.services.assets.scriptsOf("in_place")} context={context} />
    </>
  );
}
