import type { ListName, PreferenceList, Scope } from "../roadmap/filter/preference_list.ts";
import type { Cadence } from "../text/cadence.ts";
import { Name } from "../../components/name.tsx";

/** What a subscription can be set to. */
export interface PreferenceFieldsProps {
  scope: Scope;
  /** Whether releases are watched here. */
  offersWatched?: boolean;
  lists: readonly PreferenceList[];
  chosen: Readonly<Record<ListName, readonly string[]>>;
  /** Each with when it brings mail, and the next time (ISO 8601), where it has times. */
  cadences: readonly (readonly [cadence: Cadence, when: string, next: string | null])[];
  cadence: Cadence;
}

const SCOPE_NAMES: readonly (readonly [Scope, string])[] = [
  ["all", "All releases"],
  ["chosen", "Choose"],
  ["watched", "Only what I watch"],
];

/** A longer list can be searched, with a script (scripts/frame.ts). */
const SEARCHED_FROM = 10;

/** The fields of a form with the preferences of a subscription. */
export function PreferenceFields(
  { scope, offersWatched = false, lists, chosen, cadences, cadence }: PreferenceFieldsProps,
) {
  return (
    <>
      <fieldset class="preferences">
        <legend>Releases</legend>
        <div class="choices in-line">
          {SCOPE_NAMES.filter(([name]) => offersWatched || name !== "watched").map((
            [name, title],
          ) => (
            <label key={name} class="check">
              <input type="radio" name="scope" value={name} defaultChecked={name === scope} />
              {title}
            </label>
          ))}
        </div>
      </fieldset>
      {lists.map((list) => <ListField key={list.name} list={list} chosen={chosen[list.name]} />)}
      <CadenceField cadences={cadences} cadence={cadence} />
    </>
  );
}

/** The choice of all values of a list, or of some. */
function ListField({ list: { name, title, values, labels, hint }, chosen }: {
  list: PreferenceList;
  chosen: readonly string[];
}) {
  return (
    <fieldset class={name === "kinds" ? "preferences" : "preferences of-choice"}>
      <legend>{title}</legend>
      <label class="check">
        <input
          type="checkbox"
          name="every"
          value={name}
          defaultChecked={chosen.length === 0}
        />
        All {title.toLowerCase()}
      </label>
      {values.length > SEARCHED_FROM && name !== "kinds" && (
        <input
          type="search"
          class="list-search"
          aria-label={`Search ${title.toLowerCase()}`}
          placeholder={`Search ${title.toLowerCase()}`}
        />
      )}
      <div class={name === "kinds" ? "choices in-line" : "choices"}>
        {values.map((value) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              name={name}
              value={value}
              defaultChecked={chosen.includes(value)}
            />
            <Name text={labels?.[value] ?? value} />
          </label>
        ))}
      </div>
      {hint && <p class="hint">{hint}</p>}
    </fieldset>
  );
}

/** The choice of when mails come. */
function CadenceField(
  { cadences, cadence }: Pick<PreferenceFieldsProps, "cadences" | "cadence">,
) {
  return (
    <fieldset class="preferences">
      <legend>How often</legend>
      <div class="choices in-line">
        {cadences.map(([name, when, next]) => (
          <label key={name} class="check">
            <input type="radio" name="cadence" value={name} defaultChecked={name === cadence} />
            {when}
            {next && <time class="own-time" dateTime={next} data-cadence={name} />}
          </label>
        ))}
      </div>
      <p class="hint">We only write when something changed.</p>
    </fieldset>
  );
}
