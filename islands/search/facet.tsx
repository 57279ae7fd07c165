import { useState } from "preact/hooks";
import {
  describeUnlisted,
  type ListedValues,
  withChosen,
} from "../../lib/roadmap/filter/listed_values.ts";
import { toLine } from "../../lib/text/to_line.ts";
import { Name } from "../name.tsx";
import { FacetMenu } from "./facet_menu.tsx";

/** A longer list can be searched. */
const SEARCHED_FROM = 10;

interface FacetProps {
  name: string;
  label: string;
  /** What the values are, such as `products`. */
  many: string;
  listed: ListedValues;
  /** How many releases each value would find. */
  counts: Readonly<Record<string, number>>;
  /** Values of other groups of tags among them. */
  chosen: readonly string[];
  /** What each value begins with and is not shown. */
  prefix?: string;
  onChange(chosen: string[]): void;
}

/** A list of the filter with what each value would find, any of which can be chosen. */
export function Facet(
  { name, label, many, listed, counts, chosen, prefix = "", onChange }: FacetProps,
) {
  const toggle = (value: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, value].sort() : chosen.filter((one) => one !== value));
  // The address may name any value, such as `constructor`.
  const countFor = (value: string) => Object.hasOwn(counts, value) ? counts[value]! : 0;
  const [words, setWords] = useState("");
  // Ticking changes no number of the same list, so nothing moves under the pointer.
  const own = chosen.filter((value) => value.startsWith(prefix));
  const nameOf = (value: string) => value.slice(prefix.length);
  const values = withChosen(listed.values, own)
    .sort((one, other) => countFor(other) - countFor(one));
  const isShown = (value: string) =>
    nameOf(value).toLowerCase().includes(words.trim().toLowerCase());
  const hint = describeUnlisted(listed, many);
  return (
    <FacetMenu label={label} chosen={own.map((value) => toLine(nameOf(value)))}>
      <fieldset>
        <legend class="visually-hidden">{label}</legend>
        {values.length > SEARCHED_FROM && (
          <input
            type="search"
            class="facet-search"
            aria-label={`Search ${many}`}
            placeholder={`Search ${many}`}
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
        )}
        {values.filter(isShown).map((value) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              name={name}
              value={value}
              checked={chosen.includes(value)}
              onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
            />
            <Name text={nameOf(value)} /> <span class="quiet">{countFor(value)}</span>
            {" "}
          </label>
        ))}
        {hint && <p class="hint">{hint}</p>}
      </fieldset>
    </FacetMenu>
  );
}
