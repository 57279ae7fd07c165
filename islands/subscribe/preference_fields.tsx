import type { PreferenceList } from "../../lib/roadmap/filter/preference_list.ts";
import type { Cadence } from "../../lib/text/cadence.ts";
import { Name } from "../name.tsx";

/** What a subscription can be set to. */
export interface PreferenceFieldsProps {
  lists: readonly PreferenceList[];
  chosen: Readonly<Record<PreferenceList["name"], readonly string[]>>;
  /** Each with when it brings mail. */
  cadences: readonly (readonly [cadence: Cadence, when: string])[];
  cadence: Cadence;
}

/** The fields of a form with the preferences of a subscription. */
export function PreferenceFields({ lists, chosen, cadences, cadence }: PreferenceFieldsProps) {
  return (
    <>
      <CadenceField cadences={cadences} cadence={cadence} />
      {lists.filter(({ values }) => values.length > 0).map(({ name, title, values, hint }) => (
        <fieldset key={name} class="preferences">
          <legend>
            {title} <span class="quiet">leave empty for all</span>
          </legend>
          <div class="choices">
            {values.map((value) => (
              <label key={value} class="check">
                <input
                  type="checkbox"
                  name={name}
                  value={value}
                  defaultChecked={chosen[name].includes(value)}
                />
                <Name text={value} />
              </label>
            ))}
          </div>
          {hint && <p class="hint">{hint}</p>}
        </fieldset>
      ))}
    </>
  );
}

/** The choice of when mails come. */
export function CadenceField(
  { cadences, cadence }: Pick<PreferenceFieldsProps, "cadences" | "cadence">,
) {
  return (
    <fieldset class="preferences">
      <legend>How often</legend>
      <div class="choices">
        {cadences.map(([name, when]) => (
          <label key={name} class="check">
            <input type="radio" name="cadence" value={name} defaultChecked={name === cadence} />
            {when}
          </label>
        ))}
      </div>
      <p class="hint">We only write when something changed.</p>
    </fieldset>
  );
}
