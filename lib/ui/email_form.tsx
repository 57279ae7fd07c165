import type { PageContext } from "./brand.tsx";
import { describedBy, FormMistake, Mistake, type Mistakes } from "./form_mistakes.tsx";
import { Scripts } from "./render_page.tsx";
import { say } from "../text/messages.ts";

/** The field of an email address, as it was sent where that was wrong. */
export function EmailInput({ id = "email", value, hint, mistakes }: {
  id?: string;
  value?: string;
  /** The id of the hint. */
  hint?: string;
  mistakes?: Mistakes;
}) {
  return (
    <input
      id={id}
      name="email"
      type="email"
      value={value}
      placeholder={say("email.you_company_com")}
      required
      maxLength={254}
      autocomplete="email"
      autofocus={mistakes && Object.hasOwn(mistakes, "email")}
      {...describedBy("email", mistakes, hint)}
    />
  );
}

/**
 * An email address and a button, where what to subscribe to is said already. With a script the
 * answer stands in place (scripts/in_place.ts).
 */
export function EmailForm({ lists, cadence, button, hint, email, mistakes, context }: {
  /** What the address subscribes to: lists of the API, such as `releases`. */
  lists: Readonly<Record<string, readonly string[]>>;
  cadence: string;
  button: string;
  hint: string;
  /** What was sent. */
  email?: string;
  mistakes?: Mistakes;
  context: PageContext;
}) {
  const { services: { assets }, site } = context;
  return (
    <form
      id="subscription"
      class="email-form"
      action={`${site.path}/subscribe?short`}
      method="post"
      data-morph="subscription"
    >
      <FormMistake mistakes={mistakes} fields={["email"]} />
      {Object.entries(lists).flatMap(([name, values]) =>
        values.map((value) => <input key={name + value} type="hidden" name={name} value={value} />)
      )}
      <input type="hidden" name="cadence" value={cadence} />
      <label for="email" class="visually-hidden">{say("email.email_address")}</label>
      <EmailInput value={email} hint="email-hint" mistakes={mistakes} />
      <button type="submit">{button}</button>
      <Mistake of="email" mistakes={mistakes} />
      <p class="hint" id="email-hint">{hint}</p>
      <p class="answer" role="status" tabIndex={-1} />
      <Scripts files={assets.scriptsOf("in_place")} context={context} />
    </form>
  );
}
