import type { ComponentChildren } from "preact";
import { CheckList, FacetMenu } from "../../components/check_list.tsx";
import {
  type FilterOptions,
  type ListedValues,
  listFields,
  withTagGroups,
} from "../roadmap/filter/filter_options.ts";
import type { Filter } from "../roadmap/filter/filter.ts";
import { LIST_NAMES } from "../roadmap/filter/filter_values.ts";
import { Scripts } from "./render_page.tsx";
import type { SiteFrame } from "./brand.tsx";

interface FilterBarProps {
  /** The address of the page. */
  action: string;
  filter: Filter;
  options: FilterOptions<ListedValues>;
  /** It can be chosen whether removed releases count; without a choice they do. */
  showsRemoved: boolean;
  /** Parameters of the page's own, which stay as they are. */
  hidden?: readonly (readonly [name: string, value: string])[];
  /** Fields of the page's own. */
  children?: ComponentChildren;
  frame: SiteFrame;
}

/**
 * The filter of a page that shows what passes it, in the look of that of the roadmap. A script
 * (scripts/filter_bar.ts) applies each choice at once, and puts what the page has in
 * `data-filtered` in the place of what was there; without it this is a plain form.
 */
export function FilterBar(
  { action, filter, options, showsRemoved, hidden = [], children, frame }: FilterBarProps,
) {
  const offered = listFields(withTagGroups(options, filter.tag)).filter(({ name, listed }) =>
    listed.total > 0 || filter[name] !== undefined
  );
  const chosen = LIST_NAMES.reduce((sum, name) => sum + (filter[name]?.length ?? 0), 0) +
    (showsRemoved && !filter.include_inactive ? 1 : 0);
  return (
    <form class="filter-bar" action={action} method="get" autocomplete="off">
      {hidden.map(([name, value]) => <input key={value} type="hidden" name={name} value={value} />)}
      <details class="fold">
        <summary>{chosen > 0 ? `Filters (${chosen})` : "Filters"}</summary>
        <div class="filters">
          {children}
          {offered.map((list) => (
            <CheckList key={list.label} {...list} chosen={filter[list.name] ?? []} />
          ))}
          {showsRemoved && (
            <FacetMenu label="More" chosen={filter.include_inactive ? [] : ["without removed"]}>
              <fieldset>
                <legend class="visually-hidden">More filters</legend>
                <label class="check">
                  <input
                    type="checkbox"
                    name="include_inactive"
                    value="false"
                    checked={!filter.include_inactive}
                  />
                  Hide removed releases
                </label>
              </fieldset>
            </FacetMenu>
          )}
          <button type="submit" class="apply">Apply</button>
        </div>
      </details>
      <Scripts files={frame.services.assets.scriptsOf("filter_bar")} frame={frame} />
    </form>
  );
}
