import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { postSubscription, type SubscribeOutcome } from "./send_subscription.ts";
import { Answer } from "./subscribe_form.tsx";

export interface EmailFormProps {
  /** Of the site, as in `/b` */
  path: string;
  /** What the address subscribes to: lists of the API, such as `releases`. */
  lists: Readonly<Record<string, readonly string[]>>;
  cadence: string;
  button: string;
  hint: string;
}

/**
 * An email address and a button, where what to subscribe to is said already; with a script the
 * answer stands in place. It replaces the form when nothing is left to do there.
 */
export function EmailForm({ path, lists, cadence, button, hint }: EmailFormProps) {
  const [outcome, setOutcome] = useState<SubscribeOutcome | null>(null);
  const [isSending, setIsSending] = useState(false);
  const answer = useRef<HTMLDivElement>(null);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    const email = new FormData(event.currentTarget as HTMLFormElement).get("email");
    setIsSending(true);
    setOutcome(await postSubscription(path, { email, cadence, ...lists }));
    setIsSending(false);
  }

  useLayoutEffect(() => {
    if (outcome) answer.current?.focus();
  }, [outcome]);

  return (
    <form
      class="email-form"
      action={`${path}/subscribe`}
      method="post"
      onSubmit={(event) => void submit(event as SubmitEvent)}
    >
      <div ref={answer} tabIndex={-1} role="status" class="answer">
        {outcome && <Answer {...outcome} />}
      </div>
      {!outcome?.accepted && (
        <>
          {Object.entries(lists).flatMap(([name, values]) =>
            values.map((value) => (
              <input key={name + value} type="hidden" name={name} value={value} />
            ))
          )}
          <input type="hidden" name="cadence" value={cadence} />
          <label for="email" class="visually-hidden">Email address</label>
          <input
            id="email"
            name="email"
            type="email"
            placeholder="you@company.com"
            required
            maxLength={254}
            autocomplete="email"
            aria-describedby="email-hint"
          />
          <button type="submit" aria-disabled={isSending}>{button}</button>
          <p class="hint" id="email-hint">{hint}</p>
        </>
      )}
    </form>
  );
}
