import {
  describeFilter,
  type FilterName,
  type FilterValues,
  hiddenPairs,
  NO_FILTER,
} from "../lib/roadmap/filter/filter_values.ts";
import { Name } from "./name.tsx";

interface KeptFiltersProps {
  filter: Partial<Record<FilterName, unknown>>;
  /** The parameters that have fields of their own. */
  shown: readonly FilterName[];
  /** Absent: a plain form. */
  onDrop?(name: FilterName): void;
}

/** The filters of an address that a form has no fields for: ticked, so that each can be taken off. */
export function KeptFilters({ filter, shown, onDrop }: KeptFiltersProps) {
  return (
    <>
      {hiddenPairs(filter, shown).map(([name, value]) => {
        const words = describeFilter({ ...NO_FILTER, [name]: value } as FilterValues);
        const key = `${name} ${value}`;
        if (words === "") return <input key={key} type="hidden" name={name} value={value} />;
        return (
          <label key={key} class="check">
            <input
              type="checkbox"
              name={name}
              value={value}
              checked
              onChange={onDrop && (() => onDrop(name))}
            />
            <Name text={words} />
          </label>
        );
      })}
    </>
  );
}
