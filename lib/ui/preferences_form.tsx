import { Name, quiet } from "../../components/name.tsx";
import type { Preferences } from "../delivery/subscriptions/subscriptions_sql.ts";
import {
  listsOf,
  PREFERENCE_LISTS,
  PREFERENCE_NAMES,
  type PreferenceList,
  type PreferenceName,
  type Scope,
} from "../roadmap/filter/preference_lists.ts";
import { valueInWords } from "../roadmap/stated.ts";
import type { Cadence } from "../text/cadence.ts";
import type { NamedList } from "../roadmap/filter/filter_options.ts";
import { SEARCHED_FROM, searchWords } from "../../components/check_list.tsx";
import { listInWords, withinSentence } from "../text/phrases.ts";
import { describedBy, FormMistake, Mistake, type Mistakes } from "./form_mistakes.tsx";
import { ReleaseLink } from "./release_parts.tsx";
import { language, rich, say } from "../text/messages.ts";

/** What the page of preferences shows. */
interface PreferencesFormProps extends PreferenceFieldsProps {
  /** The address of the page. */
  action: string;
  token: string;
  scope: Scope;
  /** Of the site, as in `/b`. */
  path: string;
  /** Those that were just unticked are offered again. */
  watched: readonly {
    release_item_id: string;
    feature_name: string;
    active: boolean;
    language: string | null;
    isWatched: boolean;
  }[];
  /** `YYYY-MM-DD`, or what was entered for it. */
  pausedUntil: string | null;
  today: string;
  upcoming: boolean;
  reminders: boolean;
}

/** The form of the preferences of a subscription. */
export function PreferencesForm(
  { action, token, scope, path, watched, pausedUntil, today, upcoming, reminders, ...fields }:
    PreferencesFormProps,
) {
  return (
    <form class="subscribe-form card" method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      <FormMistake
        mistakes={fields.mistakes}
        fields={[
          "cadence",
          "paused_until",
          "upcoming",
          "reminders",
          ...watched.length > 0 || scope === "watched" ? ["scope"] : [],
          ...fields.lists.map(({ name }) => name),
          ...watched.length > 0 ? ["releases"] : [],
        ]}
      />
      <ScopeField scope={scope} isChoice={watched.length > 0} mistakes={fields.mistakes} />
      <PreferenceFields {...fields} />
      {watched.length > 0 && (
        <fieldset
          class="preferences"
          aria-describedby={describedBy("releases", fields.mistakes)["aria-describedby"]}
        >
          <legend>
            {rich("form.watched", { quiet })}
          </legend>
          <div class="choices">
            {watched.map((release) => (
              <label key={release.release_item_id} class="check">
                <input
                  type="checkbox"
                  name="releases"
                  value={release.release_item_id}
                  defaultChecked={release.isWatched}
                  aria-invalid={describedBy("releases", fields.mistakes)["aria-invalid"]}
                />
                <span>
                  <ReleaseLink release={release} path={path} />
                  {!release.active && say("form.removed")}
                </span>
              </label>
            ))}
          </div>
          <Mistake of="releases" mistakes={fields.mistakes} />
        </fieldset>
      )}
      <fieldset class="preferences">
        <legend>{say("form.planned_dates")}</legend>
        <div class="choices in-line">
          <Flag
            name="upcoming"
            label={say("form.in_each_email_list")}
            isOn={upcoming}
            mistakes={fields.mistakes}
          />
          <Flag
            name="reminders"
            label={say("form.remind_me_30_days")}
            isOn={reminders}
            mistakes={fields.mistakes}
          />
        </div>
      </fieldset>
      <div class="field">
        <label for="paused_until">{say("form.pause_until")}</label>
        <input
          id="paused_until"
          name="paused_until"
          type="date"
          min={today}
          value={pausedUntil ?? ""}
          {...describedBy("paused_until", fields.mistakes, "pause-hint")}
        />
        <Mistake of="paused_until" mistakes={fields.mistakes} />
        <p class="hint" id="pause-hint">{say("form.well_hold_your_emails")}</p>
      </div>
      <button type="submit" name="action" value="save">{say("form.save")}</button>
    </form>
  );
}

/** A box whose form says also that it is not ticked: the last of both values counts. */
function Flag({ name, label, isOn, mistakes }: {
  name: string;
  label: string;
  isOn: boolean;
  mistakes?: Mistakes;
}) {
  return (
    <>
      <label class="check">
        <input type="hidden" name={name} value="no" />
        <input
          type="checkbox"
          name={name}
          value="yes"
          defaultChecked={isOn}
          {...describedBy(name, mistakes)}
        />
        {label}
      </label>
      <Mistake of={name} mistakes={mistakes} />
    </>
  );
}

/** A button that stores again what was there before. */
export function UndoForm({ action, token, stored }: {
  action: string;
  token: string;
  stored: Preferences & { paused_until: string | null };
}) {
  const lists = listsOf(stored.filter);
  const fields: [name: string, value: string][] = [
    ["token", token],
    ["scope", stored.scope],
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
        <button type="submit" name="action" value="save">{say("form.undo")}</button>
      </p>
    </form>
  );
}

/** What a subscription can be set to. */
export interface PreferenceFieldsProps {
  lists: readonly PreferenceList[];
  chosen: Readonly<Record<PreferenceName, readonly string[]>>;
  /** What is stored: a list that has values takes more than unchecking them to cover all. */
  stored?: Readonly<Record<PreferenceName, readonly string[]>>;
  /** Each with when it brings mail, and the next time (ISO 8601), where it has times. */
  cadences: readonly (readonly [cadence: Cadence, when: string, next: string | null])[];
  cadence: Cadence;
  mistakes?: Mistakes;
}

/** Whether changes of all chosen releases come, or of watched ones only. */
function ScopeField(
  { scope, isChoice, mistakes }: { scope: Scope; isChoice: boolean; mistakes?: Mistakes },
) {
  if (!isChoice && scope !== "watched") return <input type="hidden" name="scope" value="chosen" />;
  const names = [
    ["chosen", say("form.scope_chosen")],
    ["watched", say("form.scope_watched")],
  ] as const;
  return (
    <fieldset class="preferences" role="radiogroup" {...describedBy("scope", mistakes)}>
      <legend>{say("form.which_releases")}</legend>
      <div class="choices in-line">
        {names.map(([name, title]) => (
          <label key={name} class="check">
            <input
              type="radio"
              name="scope"
              value={name}
              defaultChecked={(name === "watched") === (scope === "watched")}
            />
            {title}
          </label>
        ))}
      </div>
      <Mistake of="scope" mistakes={mistakes} />
    </fieldset>
  );
}

/** The fields of a form with the preferences of a subscription: products first, the rest folded. */
export function PreferenceFields(
  { lists, chosen, stored, cadences, cadence, mistakes = {} }: PreferenceFieldsProps,
) {
  const offered = lists.filter(({ name, values }) =>
    values.length > 1 || chosen[name].length > 0 || stored?.[name].length ||
    Object.hasOwn(mistakes, name)
  );
  const field = (list: PreferenceList) => (
    <ListField
      key={list.name}
      list={list}
      chosen={chosen[list.name]}
      hasAll={(stored?.[list.name] ?? []).length > 0}
      mistakes={mistakes}
    />
  );
  const more = offered.filter(({ name }) => name !== "products");
  const isOpen = more.some(({ name }) => chosen[name].length > 0 || Object.hasOwn(mistakes, name));
  return (
    <>
      {offered.filter(({ name }) => name === "products").map(field)}
      <details class="more-conditions" open={isOpen}>
        <summary>
          {rich("form.more_conditions", { quiet, names: namesOf(more) })}
        </summary>
        {more.map(field)}
      </details>
      <CadenceField cadences={cadences} cadence={cadence} mistakes={mistakes} />
    </>
  );
}

/** Such as `types, statuses, due dates and changes`. */
function namesOf(lists: readonly PreferenceList[]): string {
  return listInWords(lists.map(({ title }) => withinSentence(title)));
}

/** The choice of some values of a list; none stands for all. */
function ListField(
  { list: { name, title, values, labels, counts, hint }, chosen, hasAll, mistakes }: {
    list: PreferenceList;
    chosen: readonly string[];
    /** It can be said that all are wanted again. */
    hasAll: boolean;
    mistakes: Mistakes;
  },
) {
  const { "aria-describedby": describing } = describedBy(name, mistakes);
  const isOne = name === "date_name";
  const isChosen = (value: string) =>
    isOne ? value.toLowerCase() === (chosen[0] ?? "").toLowerCase() : chosen.includes(value);
  return (
    <fieldset
      class={name === "kinds" ? "preferences" : "preferences of-choice"}
      role={isOne ? "radiogroup" : undefined}
      aria-describedby={describing}
    >
      <legend>
        {name === "products" ? say("form.which_products") : title}{" "}
        {!isOne && <span class="quiet">{hasAll ? "" : say("form.none_is_all")}</span>}
      </legend>
      {hasAll && !isOne && (
        <label class="check">
          <input type="checkbox" name="every" value={name} />
          {say(`preference_all.${name}`)}
        </label>
      )}
      {values.length > SEARCHED_FROM && name !== "kinds" && !isOne && (
        <input
          type="search"
          class="list-search"
          {...searchWords(PREFERENCE_LISTS[name].one as NamedList)}
        />
      )}
      <div class={name === "kinds" ? "choices in-line" : "choices"}>
        {values.map((value) => (
          <label key={value} class="check">
            <input
              type={isOne ? "radio" : "checkbox"}
              name={name}
              value={value}
              defaultChecked={isChosen(value)}
              aria-invalid={describing ? true : undefined}
            />
            <Name text={labels?.[value] ?? valueInWords(value)} /> {counts && (
              <span class="quiet">
                {counts[value] !== undefined && language().numbers.format(counts[value])}
              </span>
            )}
          </label>
        ))}
      </div>
      <Mistake of={name} mistakes={mistakes} />
      {hint && <p class="hint">{hint}</p>}
    </fieldset>
  );
}

/** The choice of when mails come. */
function CadenceField(
  { cadences, cadence, mistakes }: Pick<PreferenceFieldsProps, "cadences" | "cadence" | "mistakes">,
) {
  return (
    <fieldset class="preferences" role="radiogroup" {...describedBy("cadence", mistakes)}>
      <legend>{say("form.how_often")}</legend>
      <div class="choices in-line one-of">
        {cadences.map(([name, when, next]) => (
          <label key={name} class="check">
            <input type="radio" name="cadence" value={name} defaultChecked={name === cadence} />
            <span>
              {when}
              {next && <time class="own-time" dateTime={next} data-cadence={name} />}
            </span>
          </label>
        ))}
      </div>
      <Mistake of="cadence" mistakes={mistakes} />
    </fieldset>
  );
}
