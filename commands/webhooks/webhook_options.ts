import { MAX_SEARCHES } from "../../lib/roadmap/words/searches_sql.ts";
import { WEBHOOK_NAME } from "../../lib/delivery/webhooks/add_webhook.ts";
import {
  WEBHOOK_KINDS,
  type WebhookFilter,
  type WebhookKind,
} from "../../lib/delivery/webhooks/webhook.ts";
import { isChangeKind } from "../../lib/roadmap/changes/kind_parameter.ts";
import { CHANGE_KINDS, type ChangeKind } from "../../lib/roadmap/changes/kinds.ts";
import { DUE_PERIODS, isDuePeriod } from "../../lib/roadmap/filter/filter_values.ts";
import { type Cadence, CADENCES } from "../../lib/text/cadence.ts";
import { UsageError } from "../command.ts";

/** As many as the filter takes elsewhere. */
const MAX_VALUES = 100;

/** The kind of a webhook; standard where none is named. */
export function parseKind(text: string | undefined, usage: string): WebhookKind {
  const kind = WEBHOOK_KINDS.find((one) => one === (text ?? "standard"));
  if (kind) return kind;
  throw new UsageError(`--kind takes ${WEBHOOK_KINDS.join(", ")}, not "${text}". Usage: ${usage}`);
}

/** How often a webhook gets what has changed; immediately where nothing is named. */
export function parseCadence(text: string | undefined, usage: string): Cadence {
  const cadence = CADENCES.find((one) => one === (text ?? "immediate"));
  if (cadence) return cadence;
  throw new UsageError(`--cadence takes ${CADENCES.join(", ")}, not "${text}". Usage: ${usage}`);
}

/** The name of a webhook, if one is given. */
export function parseName(name: string | undefined, usage: string): string | undefined {
  if (name === undefined || WEBHOOK_NAME.test(name)) return name;
  throw new UsageError(
    `--name takes 1 to 100 characters without control characters. Usage: ${usage}`,
  );
}

/** What a webhook is narrowed to. */
export function parseFilter(
  values: Record<string, string | string[] | undefined>,
  usage: string,
): WebhookFilter {
  const filter: WebhookFilter = {};
  for (
    const name of ["product_name", "release_type", "release_status", "source", "tag", "q"] as const
  ) {
    const option = name.replace("_", "-");
    const chosen = values[option] as string[] | undefined;
    if (chosen === undefined) continue;
    const most = name === "q" ? MAX_SEARCHES : MAX_VALUES;
    if (chosen.length > most) {
      throw new UsageError(`--${option} takes at most ${most} values. Usage: ${usage}`);
    }
    if (name === "tag") {
      const wrong = chosen.find((tag) => !/^[^:]+:./s.test(tag));
      if (wrong !== undefined) {
        throw new UsageError(`--tag takes Group:Value, not "${wrong}". Usage: ${usage}`);
      }
    }
    filter[name] = [...new Set(chosen)].sort();
  }
  const due = [...new Set(values.due as string[] | undefined)].sort();
  const period = due.find((period) => !isDuePeriod(period));
  if (period !== undefined) {
    throw new UsageError(`--due takes ${DUE_PERIODS.join(", ")}, not "${period}". Usage: ${usage}`);
  }
  if (due.length > 0) filter.due = due.filter(isDuePeriod);
  const kinds = values["change-kind"] as string[] | undefined;
  const unknown = kinds?.find((kind) => !isChangeKind(kind));
  if (unknown !== undefined) {
    throw new UsageError(
      `--change-kind takes ${CHANGE_KINDS.join(", ")}, not "${unknown}". Usage: ${usage}`,
    );
  }
  return kinds ? { ...filter, kind: [...new Set(kinds)].sort() as ChangeKind[] } : filter;
}
