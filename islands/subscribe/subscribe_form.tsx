import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { PreferenceFields, type PreferenceFieldsProps } from "./preference_fields.tsx";
import { describeUnknown, sendSubscription, type SubscribeOutcome } from "./send_subscription.ts";

export interface SubscribeFormProps extends PreferenceFieldsProps {
  /** Of the site, as in `/b` */
  path: string;
}

type State = { name: "writing" } | { name: "sending" } | { name: "answered" } & SubscribeOutcome;

/**
 * The form to subscribe; with a script the server's answer stands in place: at the top of the form,
 * or instead of it when nothing is left to do there.
 */
export function SubscribeForm({ path, ...fields }: SubscribeFormProps) {
  const [state, setState] = useState<State>({ name: "writing" });
  const answer = useRef<HTMLDivElement>(null);

  async function submit(event: SubmitEvent): Promise<void> {
    // The preview is a page of its own.
    if (event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    if (state.name === "sending") return;
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setState({ name: "sending" });
    setState({ name: "answered", ...await sendSubscription(path, form) });
  }

  // After the button was pressed the end of the form is in view; focus brings the answer there with
  // it, before another key is pressed.
  useLayoutEffect(() => {
    if (state.name === "answered") answer.current?.focus();
  }, [state]);

  const isDone = state.name === "answered" && state.accepted;
  return (
    <form
      class="subscribe-form"
      action={`${path}/subscribe`}
      method="post"
      onSubmit={(event) => void submit(event as SubmitEvent)}
    >
      <div ref={answer} tabIndex={-1} role="status" class="answer">
        {state.name === "answered" && <Answer {...state} />}
      </div>
      {!isDone && (
        <>
          <PreferenceFields {...fields} />
          <EmailField path={path} isSending={state.name === "sending"} />
        </>
      )}
    </form>
  );
}

/** Where to, with the buttons of the form. */
function EmailField({ path, isSending }: { path: string; isSending: boolean }) {
  return (
    <div class="field">
      <label for="email">Email address</label>
      <div class="send">
        <input
          id="email"
          name="email"
          type="email"
          required
          maxLength={254}
          autocomplete="email"
          placeholder="you@company.com"
          aria-describedby="email-hint"
        />
        <button type="submit" aria-disabled={isSending}>
          {isSending ? "Subscribing…" : "Subscribe"}
        </button>
        <button
          type="submit"
          class="second"
          formAction={`${path}/subscribe/preview`}
          formNoValidate
        >
          Preview this email
        </button>
      </div>
      <p class="hint" id="email-hint">
        We'll send you a link to confirm. Every email has links to change your preferences and to
        unsubscribe.
      </p>
    </div>
  );
}

function Answer({ accepted, message, reasons, unknown }: SubscribeOutcome) {
  return (
    <div class={accepted ? "notice success" : "notice problem"}>
      <p>
        <strong>{accepted ? "Check your inbox." : "That didn't work."}</strong> {message}
      </p>
      {reasons.length > 0 && <ul>{reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>}
      {unknown.length > 0 && <p>{describeUnknown(unknown)}</p>}
    </div>
  );
}
