import { rightAddressOf } from "../../delivery/webhooks/chat_formats.ts";
import { WEBHOOK_KINDS, type WebhookKind } from "../../delivery/webhooks/webhook.ts";
import { FormField } from "./parts.tsx";

/** The kinds of webhooks, as a person calls them. */
export const WEBHOOK_KIND_NAMES: Readonly<Record<WebhookKind, string>> = {
  standard: "Signed JSON (Standard Webhooks)",
  slack: "Slack",
  teams: "Microsoft Teams",
  discord: "Discord",
  mattermost: "Mattermost",
  googlechat: "Google Chat",
  telegram: "Telegram",
  ntfy: "ntfy",
  apprise: "Apprise",
};

/** The address of a webhook, with what each kind takes. */
export function AddressField({ value, label, error, isRequired }: {
  value: string;
  label: string;
  error: string | undefined;
  isRequired: boolean;
}) {
  const examples = WEBHOOK_KINDS.flatMap((kind) => {
    const right = rightAddressOf(kind);
    return right === null ? [] : [`${WEBHOOK_KIND_NAMES[kind]}: ${right}`];
  });
  return (
    <FormField id="url" label={label} error={error}>
      <input
        id="url"
        name="url"
        type="url"
        value={value}
        maxLength={4000}
        autocomplete="off"
        required={isRequired}
      />
      <details>
        <summary>What the address looks like</summary>
        <ul>{examples.map((example) => <li key={example}>{example}</li>)}</ul>
      </details>
    </FormField>
  );
}
