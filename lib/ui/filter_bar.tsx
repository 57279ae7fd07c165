import type { ComponentChildren } from "preact";
import { FilterList } from "../../islands/subscribe/filter_list.tsx";
import { SelectField } from "../../islands/select_field.tsx";
import type { FilterOptions } from "../roadmap/filter/filter_options.ts";
import type { Filter } from "../roadmap/filter/filter.ts";
import { listFields } from "../roadmap/filter/list_fields.ts";
import type { ListedValues } from "../roadmap/filter/listed_values.ts";

/** A plain form with the lists of the filter, for a page that shows what passes it. */
export function FilterBar({ action, filter, options, showsRemoved, hidden = [], children }: {
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
}) {
  const offered = listFields(options).filter(({ name, listed }) =>
    name !== "source" || listed.total > 0 || filter.source !== undefined
  );
  return (
    <form class="filter-bar" action={action} method="get">
      {hidden.map(([name, value]) => <input key={value} type="hidden" name={name} value={value} />)}
      {children}
      {offered.map((list) => (
        <FilterList
          key={list.label}
          {...list}
          chosen={filter[list.name] ?? []}
        />
      ))}
      {showsRemoved && (
        <SelectField
          name="include_inactive"
          label="Removed"
          value={filter.include_inactive ? "" : "false"}
          options={[["", "Shown"], ["false", "Hidden"]]}
        />
      )}
      <button type="submit">Apply</button>
    </form>
  );
}
