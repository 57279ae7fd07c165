import { z } from "zod";
import { ADDRESSES } from "../../../lib/delivery/webhooks/chat_formats.ts";
import { parseWebhookUrl, WEBHOOK_NAME } from "../../../lib/delivery/webhooks/edit_webhooks.ts";
import {
  WEBHOOK_KINDS,
  type WebhookFilter,
  type WebhookKind,
} from "../../../lib/delivery/webhooks/webhook.ts";
import type { ListedDelivery, ListedWebhook } from "../../../lib/delivery/webhooks/webhooks_sql.ts";
import { resolveByMachine } from "../../../lib/http/outgoing/checked_addresses.ts";
import { CHANGE_KINDS, titleKind } from "../../../lib/roadmap/changes/kinds.ts";
import { CHOSEN } from "../../../lib/roadmap/filter/chosen_filter.ts";
import { DUE_PERIODS } from "../../../lib/roadmap/filter/filter_values.ts";
import { describeDue } from "../../../lib/roadmap/filter/filter_words.ts";
import { filterOf, listsOf } from "../../../lib/roadmap/filter/preference_lists.ts";
import type { Services } from "../../../lib/service/services.ts";
import {
  type Cadence,
  CADENCES,
  describeCadence,
  type DigestTimes,
} from "../../../lib/text/cadence.ts";
import { inEnglish } from "../../../lib/text/messages.ts";
import { boxes, choice, form, lines, readBy, text } from "../../../lib/ui/admin/form.tsx";
import { Moment, Table } from "../../../lib/ui/admin/table.tsx";

/** How many deliveries a page shows. */
export const MAX_DELIVERIES = 100;

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

/** The fields that narrow a webhook. */
export const FILTER_NAMES = [
  "product_name",
  "release_type",
  "release_status",
  "source",
  "tag",
  "q",
  "due",
  "date_name",
  "change_kind",
] as const;

/** How often a webhook is sent what has changed, and what it is narrowed to. */
function sharedFields(times: DigestTimes) {
  return {
    cadence: choice(
      "When to send changes",
      namesOf(CADENCES, (cadence) => sentIn(cadence, times)),
    ),
    product_name: lines("Products", { schema: CHOSEN.product_name }),
    release_type: lines("Types", { schema: CHOSEN.release_type }),
    release_status: lines("Statuses", { schema: CHOSEN.release_status }),
    source: lines("Sources", { schema: CHOSEN.source }),
    tag: lines("Tags", { schema: CHOSEN.tag }),
    q: lines("Searches", { schema: CHOSEN.q }),
    due: boxes(
      "Due",
      namesOf(DUE_PERIODS, (period) => inEnglish(() => describeDue(period)).join(" ")),
      CHOSEN.due,
    ),
    date_name: text("Name of the date to go by (empty: the release date)", {
      schema: CHOSEN.date_name,
    }),
    change_kind: boxes(
      "Kinds of change",
      namesOf(CHANGE_KINDS, (kind) => inEnglish(() => titleKind(kind, 2))),
      CHOSEN.kind,
    ),
  };
}

function namesOf<Value extends string>(
  values: readonly Value[],
  name: (value: Value) => string,
): Record<Value, string> {
  return Object.fromEntries(values.map((value) => [value, name(value)])) as Record<Value, string>;
}

const ADDRESS = { type: "url", maxLength: 4000, autocomplete: "off" } as const;

/** The form to add a webhook. */
export function addForm(times: DigestTimes) {
  return form({
    kind: choice("Kind", WEBHOOK_KIND_NAMES),
    url: text("Address", {
      ...ADDRESS,
      schema: readBy(parseWebhookUrl),
      required: true,
      below: <Examples />,
    }),
    name: text("Name (empty: the name of the host)", {
      schema: z.string()
        .refine(
          (name) => name === "" || WEBHOOK_NAME.test(name),
          "The name takes 1 to 100 characters without control characters",
        )
        .transform((name) => name || undefined),
      maxLength: 100,
    }),
    ...sharedFields(times),
  });
}

/** The form to change a webhook. */
export function changeForm(times: DigestTimes) {
  return form({
    url: text("New address (empty: the present one)", {
      ...ADDRESS,
      schema: readBy((text) => text === "" ? null : parseWebhookUrl(text)),
      below: <Examples />,
    }),
    ...sharedFields(times),
  });
}

/** What each kind takes for an address. */
function Examples() {
  const examples = WEBHOOK_KINDS.flatMap((kind) => {
    const { right } = ADDRESSES[kind] ?? {};
    return right === undefined ? [] : [`${WEBHOOK_KIND_NAMES[kind]}: ${right}`];
  });
  return (
    <details>
      <summary>What the address looks like</summary>
      <ul>{examples.map((example) => <li key={example}>{example}</li>)}</ul>
    </details>
  );
}

/** What a form narrows a webhook to. */
export function filterIn(
  { change_kind: kind, ...lists }: ReturnType<ReturnType<typeof changeForm>["read"]>,
): WebhookFilter {
  return filterOf(listsOf({ ...lists, kind }));
}

/** A webhook as the fields of its form. */
export function fieldsOf(
  { filter: { due = [], kind = [], ...lists }, cadence }: Pick<ListedWebhook, "filter" | "cadence">,
): URLSearchParams {
  return new URLSearchParams([
    ["cadence", cadence],
    ...Object.entries(lists).map(([name, values]) => [name, values.join("\n")]),
    ...due.map((period) => ["due", period]),
    ...kind.map((kind) => ["change_kind", kind]),
  ]);
}

/** Whether a form narrows a webhook. */
export function isNarrowed(given?: URLSearchParams): boolean {
  return FILTER_NAMES.some((name) => Boolean(given?.get(name)));
}

/** When a cadence brings what has changed. */
export function sentIn(cadence: Cadence, times: DigestTimes): string {
  return cadence === "immediate"
    ? "after each import"
    : inEnglish(() => describeCadence(cadence, times));
}

/** Whether a webhook is enabled, and why it is not. */
export function stateOf(
  { disabled_at, disabled_reason }: Pick<ListedWebhook, "disabled_at" | "disabled_reason">,
): string {
  return disabled_at === null ? "enabled" : `disabled: ${disabled_reason}`;
}

/** What became of the newest delivery. */
export function LastDelivery(
  { last_at, last_status }: Pick<ListedWebhook, "last_at" | "last_status">,
) {
  if (last_at === null) return <>none</>;
  return (
    <>
      {last_status} <Moment at={last_at} />
    </>
  );
}

/** What was sent lately. */
export function Deliveries({ deliveries }: { deliveries: readonly ListedDelivery[] }) {
  if (deliveries.length === 0) return null;
  return (
    <section>
      <h2>Deliveries</h2>
      <Table
        label="Deliveries"
        rows={deliveries}
        columns={{
          "Created": ({ created_at }) => <Moment at={created_at} />,
          "Webhook": "name",
          "State": "status",
          "Attempts": "attempts",
          "Reason": "last_error",
        }}
      />
      {deliveries.length === MAX_DELIVERIES && <p>Only the newest {MAX_DELIVERIES} are shown.</p>}
    </section>
  );
}

/** The page of one webhook. */
export function webhookPath(path: string, name: string): string {
  return `${path}/admin/webhook?${new URLSearchParams({ name })}`;
}

/** With what webhooks are added, changed and tested. */
export function webhookOptions({ config, tokenSecret, clock }: Services) {
  return {
    tokenSecret,
    allowsPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    resolve: resolveByMachine,
    now: clock(),
  };
}
