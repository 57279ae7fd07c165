import type { ComponentChildren } from "preact";
import { Name } from "../../components/name.tsx";
import type { Preferences } from "../delivery/subscriptions/subscriptions_sql.ts";
import {
  listsOf,
  PREFERENCE_NAMES,
  type PreferenceList,
  type PreferenceName,
  type Scope,
} from "../roadmap/filter/preference_lists.ts";
import type { Cadence } from "../text/cadence.ts";
import { cleanName } from "../text/plain_text.ts";

/** What the page of preferences shows. */
interface PreferencesFormProps extends PreferenceFieldsProps {
  /** The address of the page. */
  action: string;
  token: string;
  /** Of the site, as in `/b`. */
  path: string;
  /** Those that were just unticked are offered again. */
  watched: readonly {
    release_item_id: string;
    feature_name: string;
    active: boolean;
    isWatched: boolean;
  }[];
  /** `YYYY-MM-DD` */
  pausedUntil: string | null;
  today: string;
  upcoming: boolean;
  reminders: boolean;
}

/** The form of the preferences of a subscription. */
export function PreferencesForm(
  { action, token, path, watched, pausedUntil, today, upcoming, reminders, ...fields }:
    PreferencesFormProps,
) {
  return (
    <form class="subscribe-form" method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      <PreferenceFields {...fields} offersWatched />
      {watched.length > 0 && (
        <fieldset class="preferences">
          <legend>
            Watched releases <span class="quiet">untick to stop watching</span>
          </legend>
          <div class="choices">
            {watched.map(({ release_item_id: id, feature_name, active, isWatched }) => (
              <label key={id} class="check">
                <input type="checkbox" name="releases" value={id} defaultChecked={isWatched} />
                <span>
                  <a href={`${path}/release/${id}`}>
                    <Name text={cleanName(feature_name)} />
                  </a>
                  {!active && " (removed)"}
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <fieldset class="preferences">
        <legend>Planned dates</legend>
        <div class="choices in-line">
          <Flag
            name="upcoming"
            label="In each email, list what is planned for the next 30 days and what is overdue"
            isOn={upcoming}
          />
          <Flag
            name="reminders"
            label="Remind me 30 days, 7 days and 1 day before the planned date of a release I watch"
            isOn={reminders}
          />
        </div>
      </fieldset>
      <div class="field">
        <label for="paused_until">Pause until</label>
        <input
          id="paused_until"
          name="paused_until"
          type="date"
          min={today}
          value={pausedUntil ?? ""}
        />
        <p class="hint">
          No emails until that day, then one with everything that changed. Leave empty for no pause.
        </p>
      </div>
      <button type="submit" name="action" value="save">Save</button>
    </form>
  );
}

/** A box whose form says also that it is not ticked: the last of both values counts. */
function Flag({ name, label, isOn }: { name: string; label: string; isOn: boolean }) {
  return (
    <label class="check">
      <input type="hidden" name={name} value="no" />
      <input type="checkbox" name={name} value="yes" defaultChecked={isOn} />
      {label}
    </label>
  );
}

/** A button that does something with a subscription. */
export function ActionForm({ action, token, does, children }: {
  action: string;
  token: string;
  does: "export" | "delete" | "subscribe-again";
  children: ComponentChildren;
}) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="action" value={does} />
      {children}
    </form>
  );
}

/** A button that stores again what was there before. */
export function UndoForm({ action, token, stored, scope }: {
  action: string;
  token: string;
  stored: Preferences & { paused_until: string | null };
  scope: Scope;
}) {
  const lists = listsOf(stored.filter);
  const fields: [name: string, value: string][] = [
    ["token", token],
    ["scope", scope],
    ...PREFERENCE_NAMES.flatMap((name): [string, string][] =>
      lists[name].length > 0 ? lists[name].map((value) => [name, value]) : [["every", name]]
    ),
    ...stored.releases.map((id): [string, string] => ["releases", id]),
    ["cadence", stored.cadence],
    ["upcoming", stored.upcoming ? "yes" : "no"],
    ["reminders", stored.reminders ? "yes" : "no"],
    ["paused_until", stored.paused_until ?? ""],
  ];
  return (
    <form method="post" action={action}>
      {fields.map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
      <p class="more">
        <button type="submit" name="action" value="save">Undo</button>
      </p>
    </form>
  );
}

/** What a subscription can be set to. */
export interface PreferenceFieldsProps {
  scope: Scope;
  /** Whether releases are watched here. */
  offersWatched?: boolean;
  lists: readonly PreferenceList[];
  chosen: Readonly<Record<PreferenceName, readonly string[]>>;
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
      <p class="hint">We only email you when something changes.</p>
    </fieldset>
  );
}
