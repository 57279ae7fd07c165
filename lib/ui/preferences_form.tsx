import type { ComponentChildren } from "preact";
import { PreferenceFields, type PreferenceFieldsProps } from "./preference_fields.tsx";
import { Name } from "../../components/name.tsx";
import type { Preferences } from "../delivery/subscriptions/subscriptions_sql.ts";
import { LIST_NAMES, listsOf, type Scope } from "../roadmap/filter/preference_list.ts";
import { cleanName } from "../text/clean_name.ts";

/** What the page of preferences shows. */
export interface PreferencesFormProps extends PreferenceFieldsProps {
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
    ...LIST_NAMES.flatMap((name): [string, string][] =>
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
