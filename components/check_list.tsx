import type { ComponentChildren } from "preact";
import {
  describeUnlisted,
  type ListedValues,
  withChosen,
} from "../lib/roadmap/filter/filter_options.ts";
import { toLine } from "../lib/text/phrases.ts";
import { Name } from "./name.tsx";

/** A longer list can be searched (scripts/frame.ts). */
const SEARCHED_FROM = 10;

interface CheckListProps {
  name: string;
  label: string;
  /** What the values are, such as `products`. */
  many: string;
  listed: ListedValues;
  /** Values of other groups of tags among them. */
  chosen: readonly string[];
  /** What each value begins with and is not shown. */
  prefix?: string;
  /** How many releases each value would find, the most first; absent: it is not known. */
  countFor?: (value: string) => number;
  /** Absent: a plain form. */
  onChange?(chosen: string[]): void;
}

/** A list of values in a menu, any of which can be chosen. */
export function CheckList(
  { name, label, many, listed, chosen, prefix = "", countFor, onChange }: CheckListProps,
) {
  const toggle = onChange &&
    ((value: string, isChosen: boolean) =>
      onChange(isChosen ? [...chosen, value].sort() : chosen.filter((one) => one !== value)));
  const own = chosen.filter((value) => value.startsWith(prefix));
  const nameOf = (value: string) => toLine(value.slice(prefix.length));
  const values = withChosen(listed.values, own);
  // Ticking changes no number of the same list, so nothing moves under the pointer.
  if (countFor) values.sort((one, other) => countFor(other) - countFor(one));
  const hint = describeUnlisted(listed, many);
  return (
    <FacetMenu label={label} chosen={own.map(nameOf)}>
      <fieldset>
        <legend class="visually-hidden">{label}</legend>
        {values.length > SEARCHED_FROM && (
          <input
            type="search"
            class="list-search"
            aria-label={`Search ${many}`}
            placeholder={`Search ${many}`}
          />
        )}
        {values.map((value) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              name={name}
              value={value}
              checked={chosen.includes(value)}
              onChange={toggle && (({ currentTarget }) => toggle(value, currentTarget.checked))}
            />
            <Name text={nameOf(value)} /> {countFor && <span class="quiet">{countFor(value)}</span>}
            {" "}
          </label>
        ))}
        {hint && <p class="hint">{hint}</p>}
      </fieldset>
    </FacetMenu>
  );
}

interface FacetMenuProps {
  label: string;
  /** What is chosen, in words. */
  chosen: readonly string[];
  children: ComponentChildren;
}

/** A filter that opens below its button, which says what is chosen; one is open at a time. */
export function FacetMenu({ label, chosen: [first, ...others], children }: FacetMenuProps) {
  return (
    <details class="facet" name="facet">
      <summary>
        {label}
        {first !== undefined && (
          <>
            {": "}
            <strong>
              <Name text={first} />
              {others.length > 0 && `, +${others.length}`}
            </strong>
          </>
        )}
      </summary>
      {children}
    </details>
  );
}
