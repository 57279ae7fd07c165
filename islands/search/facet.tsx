import {
  describeUnlisted,
  type ListedValues,
  withChosen,
} from "../../lib/roadmap/filter/listed_values.ts";
import { Name } from "../name.tsx";

interface FacetProps {
  name: string;
  label: string;
  /** What the values are, such as `products`. */
  many: string;
  listed: ListedValues;
  /** How many releases each value would find. */
  counts: Readonly<Record<string, number>>;
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

/** A list of the filter with what each value would find, any of which can be chosen. */
export function Facet({ name, label, many, listed, counts, chosen, onChange }: FacetProps) {
  const toggle = (value: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, value].sort() : chosen.filter((one) => one !== value));
  // The address may name any value, such as `constructor`.
  const countFor = (value: string) => Object.hasOwn(counts, value) ? counts[value] : 0;
  const hint = describeUnlisted(listed, many);
  return (
    <details class="facet" open>
      <summary>{label}</summary>
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
            <Name text={value} /> <span class="quiet">{countFor(value)}</span>
            {" "}
          </label>
        ))}
        {hint && <p class="hint">{hint}</p>}
      </fieldset>
    </details>
  );
}
