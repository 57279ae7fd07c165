import { type FilterName, hiddenPairs } from "../lib/roadmap/filter/filter_values.ts";
import { Name } from "./name.tsx";

interface KeptFiltersProps {
  filter: Partial<Record<FilterName, unknown>>;
  /** The parameters that have fields of their own. */
  shown: readonly FilterName[];
  /** What is said of a filter; nothing: it goes with another one. */
  wordsOf(name: FilterName, value: string): string;
  /** Absent: a plain form. */
  onDrop?(name: FilterName): void;
}

/** The filters of an address that a form has no fields for: ticked, so that each can be taken off. */
export function KeptFilters({ filter, shown, wordsOf, onDrop }: KeptFiltersProps) {
  return (
    <>
      {hiddenPairs(filter, shown).map(([name, value]) => {
        const text = wordsOf(name, value);
        const key = `${name} ${value}`;
        if (text === "") return <input key={key} type="hidden" name={name} value={value} />;
        return (
          <label key={key} class="check">
            <input
              type="checkbox"
              name={name}
              value={value}
              checked
              onChange={onDrop && (() => onDrop(name))}
            />
            <Name text={text} />
          </label>
        );
      })}
    </>
  );
}
