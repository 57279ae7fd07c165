import { useRef, useState } from "preact/hooks";
import { sendSubscription, type SubscribeOutcome } from "./send_subscription.ts";

/** A list of preferences: the field of the API, and what it can hold. */
export interface PreferenceList {
  name: "products" | "types" | "statuses";
  title: string;
  values: readonly string[];
  /** Says that there are more values. */
  hint: string | null;
}

export interface SubscribeFormProps {
  /** Of the site, as in `/b` */
  path: string;
  lists: readonly PreferenceList[];
  chosen: Readonly<Record<PreferenceList["name"], readonly string[]>>;
}

type State = { name: "writing" } | { name: "sending" } | { name: "answered" } & SubscribeOutcome;

/** The form to subscribe; with a script it says in place what the server answered. */
export function SubscribeForm({ path, lists, chosen }: SubscribeFormProps) {
  const [state, setState] = useState<State>({ name: "writing" });
  const answer = useRef<HTMLDivElement>(null);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (state.name === "sending") return;
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setState({ name: "sending" });
    setState({ name: "answered", ...await sendSubscription(path, form) });
    answer.current?.focus();
  }

  return (
    <form
      class="subscribe-form"
      action={`${path}/subscribe`}
      method="post"
      onSubmit={(event) => void submit(event as SubmitEvent)}
    >
      <div class="field">
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" required maxLength={254} autocomplete="email" />
        <p class="hint" id="email-hint">
          You get a mail with a link to confirm, and every later mail has a link to unsubscribe.
        </p>
      </div>
      {lists.filter(({ values }) => values.length > 0).map(({ name, title, values, hint }) => (
        <fieldset key={name} class="preferences">
          <legend>
            {title} <span class="quiet">none chosen means all</span>
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
                {value}
              </label>
            ))}
          </div>
          {hint && <p class="hint">{hint}</p>}
        </fieldset>
      ))}
      <button type="submit" aria-disabled={state.name === "sending"}>
        {state.name === "sending" ? "Subscribing…" : "Subscribe"}
      </button>
      <div ref={answer} tabIndex={-1} role="status" class="answer">
        {state.name === "answered" && <Answer {...state} />}
      </div>
    </form>
  );
}

function Answer({ accepted, message, reasons }: SubscribeOutcome) {
  return (
    <div class={accepted ? "notice success" : "notice problem"}>
      <p>
        <strong>{accepted ? "Nearly done." : "This did not work."}</strong> {message}
      </p>
      {reasons.length > 0 && <ul>{reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>}
    </div>
  );
}
