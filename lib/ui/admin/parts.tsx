import type { ComponentChildren } from "preact";
import { CodeText } from "../../../components/name.tsx";
import type { MailState } from "../../delivery/outbox/messages_sql.ts";
import type {
  countSubscriptions,
  SubscriberCounts,
} from "../../delivery/subscriptions/subscribers_sql.ts";
import type { countWebhooks } from "../../delivery/webhooks/webhooks_sql.ts";
import { describeOutcome, describeReadStatus, summarizeCounts } from "../../import/describe_run.ts";
import type { ImportRun } from "../../import/import_runs_sql.ts";
import type { ReadStatus } from "../../import/mapping/table.ts";
import { listNotes } from "../../import/remarks.ts";
import type { ConfiguredSources, ListedSource } from "../../import/sources/configured_sources.ts";
import type { SourceState } from "../../import/sources/source_states_sql.ts";
import { CHANGE_KINDS, type ChangeKind, nameKind } from "../../roadmap/changes/kinds.ts";
import { CADENCES } from "../../text/cadence.ts";
import { countOf } from "../../text/phrases.ts";
import { VERSION } from "../../version.ts";
import { inPageWords } from "./page_words.ts";
import { Moment, Table } from "./table.tsx";
import { inEnglish } from "../../text/messages.ts";

interface PostFormProps {
  /** What the button does, by the actions of the page. */
  does?: string;
  /** Absent: the address of the page. */
  action?: string;
  fields?: Readonly<Record<string, string | number>>;
  button: string;
  /** What the button is about, for those who do not see the row in which it stands. */
  label?: string;
  /** `second` is the usual weight, `danger` that of what cannot be undone. */
  weight?: "first" | "second" | "danger";
  children?: ComponentChildren;
}

/** A form with one button. */
export function PostForm(
  { does, action, fields = {}, button, label, weight = "second", children }: PostFormProps,
) {
  return (
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button
        type="submit"
        name={does && "do"}
        value={does}
        class={weight === "first" ? undefined : weight}
        aria-label={label && `${button}: ${label}`}
      >
        {button}
      </button>
    </form>
  );
}

/** What is done for good: the first click asks, the second one does it. */
export function Confirm({ question, ...form }: PostFormProps & { question: string }) {
  return (
    <details class="admin-confirm">
      <summary aria-label={form.label && `${form.button}: ${form.label}`}>{form.button}…</summary>
      <PostForm {...form} weight="danger">
        {form.children}
        <p>{question}</p>
      </PostForm>
    </details>
  );
}

/** Names with values, as a list. */
export function FactList(
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
    listCounts([["waiting", counts.waiting], ["failed", counts.failed]], "none waiting");
  const hooks = listCounts([["enabled", enabled], ["disabled", disabled]], "no webhooks");
  return (
    <section>
      <h2>Waiting to be sent</h2>
      <FactList
        facts={[
          ["Emails", <a key="emails" href={`${path}/admin/emails`}>{counted(emails)}</a>],
          [
            "Webhooks",
            <a key="webhooks" href={`${path}/admin/webhooks`}>{counted(deliveries)}; {hooks}</a>,
          ],
        ]}
      />
    </section>
  );
}

/** Counts that are not zero. */
function listCounts(
  counts: readonly (readonly [name: string, count: number | undefined])[],
  none: string,
): string {
  const shown = counts.flatMap(([name, count]) => count ? [`${count} ${name}`] : []);
  return shown.join(", ") || none;
}

const SCOPES = { all: "all releases", chosen: "a selection", watched: "watched releases" } as const;

/** Subscribers by state, and the verified ones by what they chose. */
export function Subscribers({ states, chosen }: {
  states: Awaited<ReturnType<typeof countSubscriptions>>;
  chosen: SubscriberCounts;
}) {
  const scopes = Object.keys(SCOPES) as (keyof typeof SCOPES)[];
  const kinds = Object.entries(chosen.kinds) as [ChangeKind, number][];
  const facts = [
    ["State", Object.entries(states)],
    ["How often", CADENCES.map((cadence) => [cadence, chosen.cadences[cadence]] as const)],
    ["What", scopes.map((scope) => [SCOPES[scope], chosen.scopes[scope]] as const)],
    [
      "Only changes",
      kinds.map(([kind, count]) =>
        [CHANGE_KINDS.includes(kind) ? inEnglish(() => nameKind(kind)) : kind, count] as const
      ),
    ],
  ] as const;
  const shown = facts.map(([name, counts]) => [name, listCounts(counts, "")] as const)
    .filter(([, text]) => text !== "");
  return (
    <section>
      <h2>Subscribers</h2>
      {shown.length > 0 ? <FactList facts={shown} /> : <p>No subscribers yet.</p>}
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

interface SourceTableProps {
  states: readonly SourceState[];
  sources: Pick<ConfiguredSources, "find">;
  path: string;
}

/** Every source with its last and its next import. */
export function SourceTable({ states, sources, path }: SourceTableProps) {
  return (
    <Table
      label="Sources"
      none="No sources yet."
      rows={states.map((state) => ({ state, ...sources.find(state.name) }))}
      columns={{
        "Source": ({ state: { name } }) => <a href={sourcePath(path, name)}>{name}</a>,
        "Items": ({ state: { active, products } }) =>
          `${countOf(active, "item")}, ${countOf(products, "product")}`,
        "Last import": LastImport,
        "Next import": ({ state, counted }) => <NextImport state={state} listed={counted} />,
        "Set in": ({ configured, stored, counted }) =>
          (counted === null ? "upload" : counted.setIn === "page" ? "this page" : counted.setIn) +
          (configured && stored ? ", which counts; also added here" : ""),
      }}
    />
  );
}

/** The page of a source. */
export function sourcePath(path: string, name: string): string {
  return `${path}/admin/source?${new URLSearchParams({ name })}`;
}

function LastImport({ state: { last_run: last } }: { state: SourceState }) {
  if (last === null) return <>never</>;
  return (
    <>
      <Moment at={last.started_at} />: <Outcome run={last} isShort />
    </>
  );
}

/** How an import ended; its problems are in the words of pages. */
export function Outcome({ run, isShort = false }: { run: ImportRun; isShort?: boolean }) {
  const { error, finished_at, notes } = run;
  if (error !== null || finished_at === null) return <>{inPageWords(describeOutcome(run))}</>;
  const said = isShort ? [] : listNotes(notes).map(inPageWords);
  return <>{[summarizeCounts(run), ...said].join(". ")}</>;
}

/** When a source is imported next, or that it is now. */
export function NextImport(
  { state, listed }: { state: SourceState; listed: ListedSource | null },
) {
  if (listed === null) return <>not scheduled</>;
  if (listed.isPaused) return <>paused</>;
  if (state.import === "running") return <>running now</>;
  if (state.import === "due" || state.due_at === null) return <>about to start</>;
  return <Moment at={state.due_at} />;
}

/**
 * What each status counts as, and why; those without a known word first. `change` says where to
 * choose something else.
 */
export function StatusTable(
  { statuses, change }: { statuses: readonly ReadStatus[]; change: ComponentChildren },
) {
  if (statuses.length === 0) return null;
  const isUnknown = statuses.some(({ by }) => by === "unknown");
  return (
    <section>
      <h2>Statuses</h2>
      {isUnknown && <p>A status without a known word counts as planned. {change}</p>}
      <Table
        label="Statuses"
        rows={statuses}
        columns={{
          "Status": "status",
          "Items": "count",
          "Counts as": (status) => (
            <span class={`badge tone-${status.tone}`}>{describeReadStatus(status).tone}</span>
          ),
          "Why": (status) => describeReadStatus(status).reason,
        }}
      />
    </section>
  );
}
