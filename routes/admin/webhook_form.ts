import { MAX_SEARCHES } from "../../lib/roadmap/words/searches_sql.ts";
import {
  parseWebhookUrl,
  type WantedWebhook,
  WEBHOOK_NAME,
  WebhookError,
} from "../../lib/delivery/webhooks/add_webhook.ts";
import { DUE_PERIODS, isDuePeriod } from "../../lib/roadmap/filter/due.ts";
import { WEBHOOK_KINDS, type WebhookFilter } from "../../lib/delivery/webhooks/webhook.ts";

/** As many as the filter takes elsewhere. */
const MAX_VALUES = 100;

/** What a webhook can be narrowed to by this form. */
export const FILTER_LISTS = [
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
export function readWebhookForm(form: URLSearchParams): WantedWebhook {
  const kind = WEBHOOK_KINDS.find((kind) => kind === form.get("kind"));
  if (!kind) throw new WebhookError(`The kind must be one of ${WEBHOOK_KINDS.join(", ")}`);
  const name = form.get("name")?.trim() || undefined;
  if (name !== undefined && !WEBHOOK_NAME.test(name)) {
    throw new WebhookError("The name takes 1 to 100 characters without control characters");
  }
  const url = parseWebhookUrl(form.get("url")?.trim() ?? "");
  return { url, kind, name, filter: readFilter(form) };
}

function readFilter(form: URLSearchParams): WebhookFilter {
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
  const due = [...new Set(form.getAll("due"))].sort();
  const unknown = due.find((period) => !isDuePeriod(period));
  if (unknown !== undefined) {
    throw new WebhookError(`Due takes ${DUE_PERIODS.join(", ")}, not "${unknown}"`);
  }
  return due.length > 0 ? { ...filter, due: due.filter(isDuePeriod) } : filter;
}
