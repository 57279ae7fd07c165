import { Scripts } from "./island.tsx";
import { PreferenceFields, type PreferenceFieldsProps } from "./preference_fields.tsx";
import type { SiteFrame } from "./site_frame.ts";

/** The form to subscribe; with a script the answer stands in place (scripts/email_form.ts). */
export function SubscribeForm({ frame, ...fields }: PreferenceFieldsProps & { frame: SiteFrame }) {
  const { services: { assets }, site: { path } } = frame;
  return (
    <form class="subscribe-form" action={`${path}/subscribe`} method="post">
      <p class="answer" role="status" tabIndex={-1} />
      <PreferenceFields {...fields} />
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
          <button type="submit">Subscribe</button>
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
      <Scripts files={assets.scriptsOf("subscribe")} frame={frame} />
    </form>
  );
}
