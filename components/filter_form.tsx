import type { ComponentChildren, ComponentProps, JSX } from "preact";
import { type FilterName, hiddenPairs } from "../lib/roadmap/filter/filter_values.ts";
import { Changing } from "./changing.tsx";
import { CheckList, FacetMenu } from "./check_list.tsx";
import { Name } from "./name.tsx";
import { say } from "../lib/text/say.ts";

interface FilterFormProps {
  /** The attributes of the form. */
  form: JSX.IntrinsicElements["form"] & { [name: `data-${string}`]: string };
  /** How many values are chosen. */
  count: number;
  lists: readonly ComponentProps<typeof CheckList>[];
  /** Fields before the lists. */
  first?: ComponentChildren;
  /** Menus after the lists. */
  children: ComponentChildren;
  /** What the button says that sends the form where no script does. */
  apply: string;
  /** What else the address has, which the form keeps. */
  hidden: readonly (readonly [name: string, value: string])[];
}

/** A form of filters in menus, which are folded on a small screen. */
export function FilterForm(
  { form, count, lists, first, children, apply, hidden }: FilterFormProps,
) {
  return (
    // A browser that goes back would tick what the address before did not have.
    <form {...form} autocomplete="off">
      <details class="fold">
        <summary>
          <Changing text={say("filter.filters", { count })} />
        </summary>
        <div class="filters">
          {first}
          {lists.map((list) => <CheckList key={list.label} {...list} />)}
          {children}
          <button type="submit" class="apply">
            <Changing text={apply} />
          </button>
        </div>
      </details>
      {hidden.map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
    </form>
  );
}

interface MoreMenuProps extends KeptFiltersProps {
  chosen: readonly string[];
  takeOff: ComponentProps<typeof FacetMenu>["takeOff"];
  children?: ComponentChildren;
}

/** The menu of what few filter by, and of the filters of the address that have no fields. */
export function MoreMenu({ chosen, takeOff, children, ...kept }: MoreMenuProps) {
  return (
    <FacetMenu label={say("filter.more")} chosen={chosen} takeOff={takeOff}>
      <fieldset>
        <legend class="visually-hidden">{say("filter.more_filters")}</legend>
        {children}
        <KeptFilters {...kept} />
      </fieldset>
    </FacetMenu>
  );
}

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
function KeptFilters({ filter, shown, wordsOf, onDrop }: KeptFiltersProps) {
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
