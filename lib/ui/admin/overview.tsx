import type { ComponentChildren } from "preact";
import type { MailState } from "../../delivery/queue/mail_states.ts";
import type {
  countSubscriptions,
  SubscriberCounts,
} from "../../delivery/subscriptions/subscribers_sql.ts";
import type { countWebhooks } from "../../delivery/webhooks/webhooks_sql.ts";
import { KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";
import type { ChangeKind } from "../../roadmap/changes/kinds.ts";
import { CodeText } from "./code_text.tsx";
import { CADENCES } from "../../text/cadence.ts";
import { countOf } from "../../text/count_of.ts";
import { VERSION } from "../../version.ts";

/** Names with values, as a list. */
export function Facts(
  { facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] },
) {
  return (
    <dl class="admin-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Emails and deliveries that wait or failed. */
export function Waiting({ mails, webhooks, path }: {
  mails: readonly { status: MailState; count: number }[];
  webhooks: Awaited<ReturnType<typeof countWebhooks>>;
  path: string;
}) {
  const emails = Object.fromEntries(mails.map(({ status, count }) => [status, count]));
  const { enabled, disabled, deliveries } = webhooks;
  const counted = (counts: Partial<Record<MailState, number>>) =>
    `${counts.waiting ?? 0} waiting, ${counts.failed ?? 0} failed`;
  const hooks = `${countOf(enabled, "webhook")} enabled` +
    (disabled > 0 ? `, ${disabled} disabled` : "");
  return (
    <section>
      <h2>Waiting to be sent</h2>
      <Facts
        facts={[
          ["Emails", <a key="emails" href={`${path}/admin/emails`}>{counted(emails)}</a>],
          [
            "Webhooks",
            <a key="webhooks" href={`${path}/admin/webhooks`}>{counted(deliveries)} ({hooks})</a>,
          ],
        ]}
      />
    </section>
  );
}

const SCOPES = { all: "All releases", chosen: "A selection", watched: "Watched releases" } as const;

/** Subscribers by state, and the verified ones by what they chose. */
export function Subscribers({ states, chosen }: {
  states: Awaited<ReturnType<typeof countSubscriptions>>;
  chosen: SubscriberCounts;
}) {
  const scopes = Object.keys(SCOPES) as (keyof typeof SCOPES)[];
  const kinds = Object.entries(chosen.kinds) as [ChangeKind, number][];
  const listed = (entries: readonly (readonly [string, number | undefined])[]) =>
    entries.map(([name, count]) => `${name} ${count ?? 0}`).join(", ");
  return (
    <section>
      <h2>Subscribers</h2>
      <Facts
        facts={[
          ["State", listed(Object.entries(states))],
          ["How often", listed(CADENCES.map((cadence) => [cadence, chosen.cadences[cadence]]))],
          ["What", listed(scopes.map((scope) => [SCOPES[scope], chosen.scopes[scope]]))],
          ...kinds.length > 0
            ? [
              [
                "Only changes",
                listed(kinds.map(([kind, count]) => [
                  KINDS_IN_WORDS[kind]?.name ?? kind,
                  count,
                ])),
              ] as const,
            ]
            : [],
        ]}
      />
    </section>
  );
}

/** The version, and what to know when upgrading to it. */
export function UpgradeNotes({ notes }: { notes: readonly string[] }) {
  return (
    <section>
      <h2>Version</h2>
      <p>Roadcast {VERSION}</p>
      {notes.length > 0 && (
        <details>
          <summary>Upgrade notes</summary>
          {notes.map((note) => (
            <p key={note}>
              <CodeText text={note} />
            </p>
          ))}
        </details>
      )}
    </section>
  );
}
