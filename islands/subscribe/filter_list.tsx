import {
  describeUnlisted,
  type ListedValues,
  withChosen,
} from "../../lib/roadmap/filter/listed_values.ts";
import { toLine } from "../../lib/text/to_line.ts";
import { Name } from "../name.tsx";
import { closeOnEscape, closeWhenLeft } from "../close_details.ts";

interface FilterListProps {
  name: string;
  label: string;
  /** What the values are, such as `products`. */
  many: string;
  listed: ListedValues;
  /** Values of other groups of tags among them. */
  chosen: readonly string[];
  /** What each value begins with and is not shown. */
  prefix?: string;
  /** Absent: a plain form with a submit button. */
  onChange?(chosen: string[]): void;
}

/** A filter with a multiple choice: a list that opens, even without a script. */
export function FilterList(
  { name, label, many, listed, chosen, prefix = "", onChange }: FilterListProps,
) {
  const toggle = (value: string, isChosen: boolean) =>
    onChange?.(isChosen ? [...chosen, value] : chosen.filter((one) => one !== value));
  const own = chosen.filter((value) => value.startsWith(prefix));
  const nameOf = (value: string) => value.slice(prefix.length);
  const hint = describeUnlisted(listed, many);
  return (
    <details class="field filter-list" onFocusOut={closeWhenLeft} onKeyDown={closeOnEscape}>
      <summary>
        <span class="filter-name">{label}</span>{" "}
        <span class="filter-choice" dir="auto">
          {describeChoice(own.map(nameOf), `All ${many}`)}
        </span>
      </summary>
      <fieldset>
        <legend class="visually-hidden">{label}</legend>
        {withChosen(listed.values, own).map((value) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              name={name}
              value={value}
              checked={chosen.includes(value)}
              onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
            />
            <Name text={nameOf(value)} />
          </label>
        ))}
        {hint && <p class="hint">{hint}</p>}
      </fieldset>
    </details>
  );
}

function describeChoice(chosen: readonly string[], all: string): string {
  const [first, ...others] = chosen;
  if (first === undefined) return all;
  return others.length === 0 ? toLine(first) : `${toLine(first)} and ${others.length} more`;
}
