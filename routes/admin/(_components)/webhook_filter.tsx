import { WebhookError } from "../../../lib/delivery/webhooks/edit_webhooks.ts";
import type { WebhookFilter } from "../../../lib/delivery/webhooks/webhook.ts";
import { isChangeKind } from "../../../lib/roadmap/changes/changes_query.ts";
import { CHANGE_KINDS, titleKind } from "../../../lib/roadmap/changes/kinds.ts";
import { DUE_PERIODS, isDuePeriod } from "../../../lib/roadmap/filter/filter_values.ts";
import { describeDue } from "../../../lib/roadmap/filter/filter_words.ts";
import { MAX_SEARCHES } from "../../../lib/roadmap/words/searches_sql.ts";
import { MAX_VALUES } from "../../../lib/text/values.ts";
import {
  type Cadence,
  CADENCES,
  describeCadence,
  type DigestTimes,
} from "../../../lib/text/cadence.ts";
import { inEnglish } from "../../../lib/text/messages.ts";
import { FormField } from "../../../lib/ui/admin/parts.tsx";

/** What is wrong with the form of a webhook, beside the field that it is about. */
export type WebhookMistakes = Partial<Record<WebhookError["field"], string>>;

/** The one thing that is wrong. */
export function mistakeOf({ field, message }: WebhookError): WebhookMistakes {
  return { [field]: message };
}

const FILTER_LISTS = [
  { name: "product_name", label: "Products" },
  { name: "release_type", label: "Types" },
  { name: "release_status", label: "Statuses" },
  { name: "source", label: "Sources" },
  { name: "tag", label: "Tags as Group:Value" },
  { name: "q", label: "Searches" },
] as const;

/**
 * Reads how often a webhook gets what has changed.
 *
 * @throws {WebhookError} that says what is wrong
 */
export function readWebhookCadence(form: URLSearchParams): Cadence {
  const given = form.get("cadence") ?? "immediate";
  const cadence = CADENCES.find((cadence) => cadence === given);
  if (cadence) return cadence;
  throw new WebhookError("cadence", `The cadence must be one of ${CADENCES.join(", ")}`);
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
    if (values.length > most) {
      throw new WebhookError(name, `${label} takes at most ${most} values`);
    }
    const wrong = name === "tag" && values.find((tag) => !/^[^:]+:./s.test(tag));
    if (wrong) throw new WebhookError(name, `A tag is Group:Value, not "${wrong}"`);
    if (values.length > 0) filter[name] = values;
  }
  const due = readChoices(form, "due", {
    legend: "Due",
    isChoice: isDuePeriod,
    choices: DUE_PERIODS,
  });
  if (due.length > 0) filter.due = due;
  const kinds = readChoices(form, "change_kind", {
    legend: "Kinds of change",
    isChoice: isChangeKind,
    choices: CHANGE_KINDS,
  });
  if (kinds.length > 0) filter.kind = kinds;
  return filter;
}

function readChoices<Choice extends string>(
  form: URLSearchParams,
  name: "due" | "change_kind",
  { legend, isChoice, choices }: {
    legend: string;
    isChoice: (value: string) => value is Choice;
    choices: readonly Choice[];
  },
): Choice[] {
  const chosen = [...new Set(form.getAll(name))].sort();
  const unknown = chosen.find((value) => !isChoice(value));
  if (unknown === undefined) return chosen.filter(isChoice);
  throw new WebhookError(name, `${legend} takes ${choices.join(", ")}, not "${unknown}"`);
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
export function CadenceField({ value, error, times }: {
  value: string | null;
  error: string | undefined;
  times: DigestTimes;
}) {
  return (
    <FormField id="cadence" label="When to send changes" error={error}>
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
export function FilterFields(
  { given, errors }: { given: URLSearchParams; errors: WebhookMistakes },
) {
  const isNarrowed = [...given.entries()].some(([name, value]) =>
    value !== "" && !["cadence", "kind", "name", "url"].includes(name)
  );
  return (
    <details open={isNarrowed}>
      <summary>Only some releases or changes</summary>
      {FILTER_LISTS.map(({ name, label }) => (
        <FormField
          key={name}
          id={`list-${name}`}
          label={`${label}, one per line`}
          error={errors[name]}
        >
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
        error={errors.due}
      />
      <Choices
        legend="Kinds of change"
        name="change_kind"
        choices={CHANGE_KINDS.map((kind) => [kind, inEnglish(() => titleKind(kind, 2))] as const)}
        given={given}
        error={errors.change_kind}
      />
    </details>
  );
}

function Choices({ legend, name, choices, given, error }: {
  legend: string;
  name: string;
  choices: readonly (readonly [value: string, label: string])[];
  given: URLSearchParams;
  error: string | undefined;
}) {
  const chosen = given.getAll(name);
  return (
    <fieldset class="preferences" aria-describedby={error && `${name}-problem`}>
      <legend>{legend}</legend>
      <div class="choices in-line">
        {choices.map(([value, label]) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
            {label}
          </label>
        ))}
      </div>
      {error && <p class="admin-problem" id={`${name}-problem`} role="alert">{error}</p>}
    </fieldset>
  );
}
