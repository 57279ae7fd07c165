import type { ComponentChildren } from "preact";
import {
  describeUnlisted,
  type ListedValues,
  type ListField,
  type NamedList,
  withChosen,
} from "../lib/roadmap/filter/filter_options.ts";
import { joinParts, toLine } from "../lib/text/phrases.ts";
import { isStated, valueInWords } from "../lib/roadmap/stated.ts";
import { Changing } from "./changing.tsx";
import { Name } from "./name.tsx";
import { say } from "../lib/text/say.ts";

/** A longer list can be searched (scripts/frame.ts). */
export const SEARCHED_FROM = 10;

interface CheckListProps {
  name: string;
  label: string;
  list: NamedList;
  listed: ListedValues;
  /** Values of other groups of tags among them. */
  chosen: readonly string[];
  /** What each value begins with and is not shown. */
  prefix?: string;
  /** How many releases each value would find, the most first; absent: it is not known. */
  countFor?: (value: string) => number;
  takeOff?: FacetMenuProps["takeOff"];
  /** Absent: a plain form. */
  onChange?(chosen: string[]): void;
}

/** What the field says that searches in a list. */
export function searchWords(list: NamedList) {
  const words = say("list.search", { list });
  return { "aria-label": words, placeholder: words };
}

/** The lists that have something to choose, or that something is chosen of. */
export function offeredLists(
  lists: readonly ListField[],
  isChosen: (name: ListField["name"]) => boolean,
): ListField[] {
  return lists.filter(({ name, listed }) => listed.values.some(isStated) || isChosen(name));
}

/** A list of values in a menu, any of which can be chosen. */
export function CheckList(
  { name, label, list, listed, chosen, prefix = "", countFor, takeOff, onChange }: CheckListProps,
) {
  const toggle = onChange &&
    ((value: string, isChosen: boolean) =>
      onChange(isChosen ? [...chosen, value].sort() : chosen.filter((one) => one !== value)));
  const own = chosen.filter((value) => value.startsWith(prefix));
  const nameOf = (value: string) => toLine(valueInWords(value).slice(prefix.length));
  const values = withChosen(listed.values, own);
  // Ticking changes no number of the same list, so nothing moves under the pointer.
  if (countFor) values.sort((one, other) => countFor(other) - countFor(one));
  const hint = describeUnlisted(listed, list);
  return (
    <FacetMenu label={label} chosen={own.map(nameOf)} takeOff={takeOff}>
      <fieldset>
        <legend class="visually-hidden">
          <Name text={label} />
        </legend>
        {values.length > SEARCHED_FROM && (
          <input
            type="search"
            class="list-search"
            {...searchWords(list)}
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
            <Name text={nameOf(value)} /> {countFor && (
              <span class="quiet">
                <Changing text={countFor(value)} />
              </span>
            )}
            {" "}
          </label>
        ))}
        {hint && <p class="hint">{hint}</p>}
      </fieldset>
    </FacetMenu>
  );
}

interface FacetMenuProps {
  /** A word of ours, or the name of a group of tags. */
  label: string;
  /** What is chosen, in words. */
  chosen: readonly string[];
  /** The attributes of the link that takes all of it off; absent: there is none. */
  takeOff?: { href: string; onClick?(event: MouseEvent): void };
  children: ComponentChildren;
}

/** A filter that opens below its button, which says what is chosen and takes it off. */
export function FacetMenu(
  { label, chosen: [first, ...others], takeOff, children }: FacetMenuProps,
) {
  const words = first &&
    joinParts([toLine(first), ...others.length > 0 ? [`+${others.length}`] : []]);
  return (
    <div class="facet">
      {
        /* A click on a label moves the focus to what can have it around the label: it stays in here
          (scripts/frame.ts). */
      }
      <details class="menu" name="facet" tabIndex={-1}>
        <summary>
          <span>
            <Name text={label} />
          </span>
          {words !== undefined && (
            <bdi key={words}>
              {say("choice.label", { name: "" })} <strong>{words}</strong>
            </bdi>
          )}
        </summary>
        {children}
      </details>
      {words !== undefined && takeOff && (
        <a
          class="take-off"
          rel="nofollow"
          href={takeOff.href}
          aria-label={say("filter.remove", { name: toLine(label) })}
          onClick={takeOff.onClick}
        >
          ×
        </a>
      )}
    </div>
  );
}
