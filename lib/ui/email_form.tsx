import type { SiteFrame } from "./brand.tsx";
import { Scripts } from "./render_page.tsx";

/**
 * An email address and a button, where what to subscribe to is said already. With a script the
 * answer stands in place (scripts/email_form.ts).
 */
export function EmailForm({ lists, cadence, button, hint, frame }: {
  /** What the address subscribes to: lists of the API, such as `releases`. */
  lists: Readonly<Record<string, readonly string[]>>;
  cadence: string;
  button: string;
  hint: string;
  frame: SiteFrame;
}) {
  const { services: { assets }, site } = frame;
  return (
    <form class="email-form" action={`${site.path}/subscribe`} method="post">
      {Object.entries(lists).flatMap(([name, values]) =>
        values.map((value) => <input key={name + value} type="hidden" name={name} value={value} />)
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
      <button type="submit">{button}</button>
      <p class="hint" id="email-hint">{hint}</p>
      <p class="answer" role="status" tabIndex={-1} />
      <Scripts files={assets.scriptsOf("email_form")} frame={frame} />
    </form>
  );
}
