import { z } from "zod";
import type { Database } from "../../database/database.ts";
import { parseShape } from "../../http/parameters.ts";
import { isCalendarDate, isoDate } from "../../text/dates.ts";
import { savePreferences } from "./preferences_sql.ts";
import { PREFERENCES } from "./subscription_request.ts";
import { findUnknownReleases } from "./unknown_values_sql.ts";

/** What the form of the preferences sends. */
const POSTED = PREFERENCES.extend({
  paused_until: z.string()
    .refine((day) => day === "" || isCalendarDate(day), "must be a day such as 2026-01-31"),
});

/**
 * Saves the form of the preferences. A release that is gone since the page was shown is left out; a
 * pause whose day has come is none.
 *
 * @throws {Problem} 400 that names the field
 */
export async function saveForm(
  form: URLSearchParams,
  { id, services: { database, clock } }: {
    id: string;
    services: { readonly database: Database; readonly clock: () => Date };
  },
): Promise<void> {
  const { paused_until, cadence, ...lists } = parseShape(POSTED, {
    ...readLists(form),
    paused_until: form.get("paused_until") ?? "",
  });
  const now = clock();
  const gone = new Set(await findUnknownReleases(database, lists.releases));
  const releases = lists.releases.filter((release) => !gone.has(release));
  await savePreferences(database, id, {
    preferences: { ...lists, releases, cadence: cadence ?? "weekly" },
    pausedUntil: paused_until > isoDate(now) ? paused_until : null,
    now,
  });
}

/** The lists and the cadence of a form. */
function readLists(form: URLSearchParams): Record<string, unknown> {
  return {
    products: form.getAll("products"),
    types: form.getAll("types"),
    statuses: form.getAll("statuses"),
    releases: form.getAll("releases"),
    cadence: form.get("cadence") || null,
  };
}
