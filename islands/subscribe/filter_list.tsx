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
  chosen: readonly string[];
  /** Absent: a plain form with a submit button. */
  onChange?(chosen: string[]): void;
}

/** A filter with a multiple choice: a list that opens, even without a script. */
export function FilterList({ name, label, many, listed, chosen, onChange }: FilterListProps) {
  const toggle = (value: string, isChosen: boolean) =>
    onChange?.(isChosen ? [...chosen, value] : chosen.filter((one) => one !== value));
  const hint = describeUnlisted(listed, many);
  return (
    <details class="field filter-list" onFocusOut={closeWhenLeft} onKeyDown={closeOnEscape}>
      <summary>
        <span class="filter-name">{label}</span>{" "}
        <span class="filter-choice" dir="auto">{describeChoice(chosen, `All ${many}`)}</span>
      </summary>
      <fieldset>
        <legend class="visually-hidden">{label}</legend>
        {withChosen(listed.values, chosen).map((value) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              name={name}
              value={value}
              checked={chosen.includes(value)}
              onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
            />
            <Name text={value} />
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
