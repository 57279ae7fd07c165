import {
  addWebhook,
  parseWebhookUrl,
  type WantedWebhook,
  WEBHOOK_NAME,
  WebhookError,
} from "../../lib/delivery/webhooks/edit_webhooks.ts";
import { AddressField, WEBHOOK_KIND_NAMES } from "../../lib/ui/admin/webhook_fields.tsx";
import { WEBHOOK_KINDS, type WebhookFilter } from "../../lib/delivery/webhooks/webhook.ts";
import {
  listDeliveries,
  type ListedDelivery,
  type ListedWebhook,
  listWebhooks,
} from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { resolveByMachine } from "../../lib/http/outgoing/checked_addresses.ts";
import { isChangeKind } from "../../lib/roadmap/changes/changes_query.ts";
import { CHANGE_KINDS, titleKind } from "../../lib/roadmap/changes/kinds.ts";
import { DUE_PERIODS, isDuePeriod } from "../../lib/roadmap/filter/filter_values.ts";
import { describeDue } from "../../lib/roadmap/filter/filter_words.ts";
import { MAX_SEARCHES } from "../../lib/roadmap/words/searches_sql.ts";
import type { Services } from "../../lib/service/services.ts";
import {
  type Cadence,
  CADENCES,
  describeCadence,
  type DigestTimes,
} from "../../lib/text/cadence.ts";
import { type AdminPage, AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { FormField } from "../../lib/ui/admin/parts.tsx";
import { operatorPage, operatorRoute, readFormFields, showPage, type Visit } from "./operator.tsx";
import { inEnglish } from "../../lib/text/messages.ts";

const MAX_DELIVERIES = 100;

/** The webhooks with their latest deliveries, and the form to add one. */
export const webhooksPage = operatorPage((visit) => buildPage(visit, new URLSearchParams(), null));

/** Adds a webhook; only this answer has its secret. */
export const postedWebhook = operatorRoute(async (visit) => {
  const { request, context: { services, site: { path } }, note } = visit;
  const form = await readFormFields(request);
  try {
    const added = await addWebhook(
      services.databaseForJobs,
      readWebhookForm(form),
      webhookOptions(services),
    );
    await note("added a webhook", added.name);
    return await showPage(visit, {
      title: "Webhook added",
      place: "/webhooks",
      children: (
        <>
          <p>
            {added.name}: {added.shownUrl}
          </p>
          {added.secret !== null && (
            <p>
              Its secret, which is not shown again: <code>{added.secret}</code>
            </p>
          )}
          <p>
            <a href={webhookPath(path, added.name)}>Test or edit it</a>
          </p>
        </>
      ),
    });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const message = error.message.replace(" : choose another --name", ": choose another");
    return await showPage(visit, { ...await buildPage(visit, form, message), status: 422 });
  }
});

async function buildPage(
  { context }: Pick<Visit, "context">,
  given: URLSearchParams,
  error: string | null,
): Promise<AdminPage> {
  const { services: { database, config }, site: { path } } = context;
  const [webhooks, deliveries] = await Promise.all([
    listWebhooks(database),
    listDeliveries(database, { name: null, limit: MAX_DELIVERIES }),
  ]);
  return {
    title: "Webhooks",
    children: (
      <>
        <p>Webhooks send changes to other systems and chats.</p>
        {error && <p class="admin-problem" role="alert">{error}</p>}
        {webhooks.length > 0 && <WebhookTable webhooks={webhooks} path={path} />}
        <AddForm path={path} given={given} times={config.webhookTimes} />
        <Deliveries deliveries={deliveries} />
      </>
    ),
  };
}

function WebhookTable({ webhooks, path }: { webhooks: readonly ListedWebhook[]; path: string }) {
  return (
    <AdminTable
      label="Webhooks"
      columns={["Name", "Kind", "Address", "Cadence", "State", "Last delivery"]}
    >
      {webhooks.map(({ name, kind, shown_url, cadence, ...webhook }) => (
        <tr key={name}>
          <td>
            <a href={webhookPath(path, name)}>{name}</a>
          </td>
          <td>{WEBHOOK_KIND_NAMES[kind]}</td>
          <td>{shown_url}</td>
          <td>{cadence}</td>
          <td>{stateOf(webhook)}</td>
          <td>
            <LastDelivery webhook={webhook} />
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}

/** Whether a webhook is enabled, and why it is not. */
export function stateOf(
  { disabled_at, disabled_reason }: Pick<ListedWebhook, "disabled_at" | "disabled_reason">,
): string {
  return disabled_at === null ? "enabled" : `disabled: ${disabled_reason}`;
}

/** What became of the newest delivery. */
export function LastDelivery(
  { webhook: { last_at, last_status } }: {
    webhook: Pick<ListedWebhook, "last_at" | "last_status">;
  },
) {
  if (last_at === null) return <>none</>;
  return (
    <>
      {last_status} <Moment at={last_at} />
    </>
  );
}

function AddForm(
  { path, given, times }: { path: string; given: URLSearchParams; times: DigestTimes },
) {
  return (
    <section>
      <h2>Add a webhook</h2>
      <form method="post" action={`${path}/admin/webhooks`}>
        <FormField id="kind" label="Kind">
          <select id="kind" name="kind">
            {WEBHOOK_KINDS.map((kind) => (
              <option key={kind} value={kind} selected={kind === given.get("kind")}>
                {WEBHOOK_KIND_NAMES[kind]}
              </option>
            ))}
          </select>
        </FormField>
        <AddressField value={given.get("url") ?? ""} label="Address" isRequired />
        <FormField id="webhook-name" label="Name (empty: the name of the host)">
          <input
            id="webhook-name"
            name="name"
            value={given.get("name") ?? ""}
            maxLength={100}
          />
        </FormField>
        <CadenceField value={given.get("cadence")} times={times} />
        <FilterFields given={given} />
        <button type="submit">Add</button>
      </form>
    </section>
  );
}

/** What was sent lately. */
export function Deliveries({ deliveries }: { deliveries: readonly ListedDelivery[] }) {
  if (deliveries.length === 0) return null;
  const columns = ["Created", "Webhook", "State", "Attempts", "Reason"];
  return (
    <section>
      <h2>Deliveries</h2>
      <AdminTable label="Deliveries" columns={columns}>
        {deliveries.map(({ mail_id, name, status, attempts, created_at, last_error }) => (
          <tr key={mail_id}>
            <td>
              <Moment at={created_at} />
            </td>
            <td>{name}</td>
            <td>{status}</td>
            <td>{attempts}</td>
            <td>{last_error}</td>
          </tr>
        ))}
      </AdminTable>
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

/** As many as the filter takes elsewhere. */
const MAX_VALUES = 100;

const FILTER_LISTS = [
  { name: "product_name", label: "Products" },
  { name: "release_type", label: "Types" },
  { name: "release_status", label: "Statuses" },
  { name: "source", label: "Sources" },
  { name: "tag", label: "Tags as Group:Value" },
  { name: "q", label: "Searches" },
] as const;

/**
 * Reads the form to add a webhook.
 *
 * @throws {WebhookError} that says what is wrong
 */
function readWebhookForm(form: URLSearchParams): WantedWebhook {
  const kind = WEBHOOK_KINDS.find((kind) => kind === form.get("kind"));
  if (!kind) throw new WebhookError(`The kind must be one of ${WEBHOOK_KINDS.join(", ")}`);
  const name = form.get("name")?.trim() || undefined;
  if (name !== undefined && !WEBHOOK_NAME.test(name)) {
    throw new WebhookError("The name takes 1 to 100 characters without control characters");
  }
  const url = parseWebhookUrl(form.get("url")?.trim() ?? "");
  return { url, kind, name, filter: readWebhookFilter(form), cadence: readWebhookCadence(form) };
}

/**
 * Reads how often a webhook gets what has changed.
 *
 * @throws {WebhookError} that says what is wrong
 */
export function readWebhookCadence(form: URLSearchParams): Cadence {
  const given = form.get("cadence") ?? "immediate";
  const cadence = CADENCES.find((cadence) => cadence === given);
  if (cadence) return cadence;
  throw new WebhookError(`The cadence must be one of ${CADENCES.join(", ")}`);
}

/**
 * Reads what a webhook is narrowed to.
 *
 * @throws {WebhookError} that says what is wrong
 */
export function readWebhookFilter(form: URLSearchParams): WebhookFilter {
  const filter: WebhookFilter = {};
  for (const { name, label } of FILTER_LISTS) {
    const lines = (form.get(name) ?? "").split("\n").map((line) => line.trim());
    const values = [...new Set(lines.filter((line) => line !== ""))].sort();
    const most = name === "q" ? MAX_SEARCHES : MAX_VALUES;
    if (values.length > most) throw new WebhookError(`${label} takes at most ${most} values`);
    const wrong = name === "tag" && values.find((tag) => !/^[^:]+:./s.test(tag));
    if (wrong) throw new WebhookError(`A tag is Group:Value, not "${wrong}"`);
    if (values.length > 0) filter[name] = values;
  }
  const due = readChoices(form, "due", { isChoice: isDuePeriod, choices: DUE_PERIODS });
  if (due.length > 0) filter.due = due;
  const kinds = readChoices(form, "change_kind", { isChoice: isChangeKind, choices: CHANGE_KINDS });
  if (kinds.length > 0) filter.kind = kinds;
  return filter;
}

function readChoices<Choice extends string>(
  form: URLSearchParams,
  name: string,
  { isChoice, choices }: {
    isChoice: (value: string) => value is Choice;
    choices: readonly Choice[];
  },
): Choice[] {
  const chosen = [...new Set(form.getAll(name))].sort();
  const unknown = chosen.find((value) => !isChoice(value));
  if (unknown === undefined) return chosen.filter(isChoice);
  throw new WebhookError(`${name} takes ${choices.join(", ")}, not "${unknown}"`);
}

/** A filter as the fields of its form. */
export function fieldsOf({ due = [], kind = [], ...lists }: WebhookFilter): URLSearchParams {
  const fields = new URLSearchParams();
  for (const { name } of FILTER_LISTS) fields.set(name, (lists[name] ?? []).join("\n"));
  for (const period of due) fields.append("due", period);
  for (const one of kind) fields.append("change_kind", one);
  return fields;
}

/** When a cadence brings what has changed. */
export function sentIn(cadence: Cadence, times: DigestTimes): string {
  return cadence === "immediate"
    ? "after each import"
    : inEnglish(() => describeCadence(cadence, times));
}

/** How often a webhook gets what has changed. */
export function CadenceField({ value, times }: { value: string | null; times: DigestTimes }) {
  return (
    <FormField id="cadence" label="When to send changes">
      <select id="cadence" name="cadence">
        {CADENCES.map((cadence) => (
          <option key={cadence} value={cadence} selected={cadence === value}>
            {sentIn(cadence, times)}
          </option>
        ))}
      </select>
    </FormField>
  );
}

/** What a webhook is narrowed to; `given` is what stands in the fields. */
export function FilterFields({ given }: { given: URLSearchParams }) {
  const isNarrowed = [...given.entries()].some(([name, value]) =>
    value !== "" && !["cadence", "kind", "name", "url"].includes(name)
  );
  return (
    <details open={isNarrowed}>
      <summary>Only some releases or changes</summary>
      {FILTER_LISTS.map(({ name, label }) => (
        <FormField key={name} id={`list-${name}`} label={`${label}, one per line`}>
          <textarea id={`list-${name}`} name={name} rows={2}>{given.get(name) ?? ""}</textarea>
        </FormField>
      ))}
      <Choices
        legend="Due"
        name="due"
        choices={DUE_PERIODS.map((period) =>
          [period, inEnglish(() => describeDue(period)).join(" ")] as const
        )}
        given={given}
      />
      <Choices
        legend="Kinds of change"
        name="change_kind"
        choices={CHANGE_KINDS.map((kind) => [kind, inEnglish(() => titleKind(kind))] as const)}
        given={given}
      />
    </details>
  );
}

function Choices({ legend, name, choices, given }: {
  legend: string;
  name: string;
  choices: readonly (readonly [value: string, label: string])[];
  given: URLSearchParams;
}) {
  const chosen = given.getAll(name);
  return (
    <fieldset class="preferences">
      <legend>{legend}</legend>
      <div class="choices in-line">
        {choices.map(([value, label]) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
