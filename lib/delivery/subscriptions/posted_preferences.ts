import { z } from "zod";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { parseShape } from "../../http/requests/parameters.ts";
import {
  choosesReleases,
  filterOf,
  type FormChoice,
  listsOf,
  readPreferenceForm,
  type Scope,
  SCOPES,
} from "../../roadmap/filter/preference_lists.ts";
import type { ChangesFilter } from "../../roadmap/filter/filter.ts";
import { MAX_SEARCHES } from "../../roadmap/words/searches_sql.ts";
import { isCalendarDate } from "../../text/dates.ts";
import { mailDay } from "./opened_link.ts";
import { type OwnSubscription, savePreferences } from "./preferences_sql.ts";
import { VALUES } from "../../roadmap/filter/chosen_filter.ts";
import { PREFERENCES } from "./subscription_request.ts";
import { findUnknownReleases } from "./unknown_values_sql.ts";
import { say } from "../../text/messages.ts";
import { reason } from "../../text/said.ts";

/** What the form of the preferences sends. */
const POSTED = PREFERENCES.extend({
  searches: VALUES,
  upcoming: z.enum(["yes", "no"], "must be yes or no").nullable(),
  reminders: z.enum(["yes", "no"], "must be yes or no").nullable(),
  scope: z.enum(SCOPES, reason("reason.one_of", { values: SCOPES.join(", ") })).nullable(),
  paused_until: z.string()
    .refine((day) => day === "" || isCalendarDate(day), reason("reason.day")),
});

/**
 * Saves the form of the preferences, unless it leaves something open: returns a sentence for each
 * list that does. A release that is gone since the page was shown is left out; a pause whose day has
 * come is none.
 *
 * @throws {Problem} 400 that names the field
 */
export async function saveForm(
  form: URLSearchParams,
  { stored, services: { database, clock, config } }: {
    stored: OwnSubscription;
    services: {
      readonly database: Database;
      readonly clock: () => Date;
      readonly config: Config;
    };
  },
): Promise<FormChoice["mistakes"]> {
  const chosen = readPreferenceForm(form, listsOf(stored.filter));
  const { scope, paused_until, cadence, upcoming, reminders, releases: all, ...lists } = parseShape(
    POSTED,
    {
      ...chosen.lists,
      scope: form.get("scope") || null,
      releases: form.getAll("releases"),
      cadence: form.get("cadence") || null,
      // A box that is not ticked leaves the hidden field before it.
      upcoming: form.getAll("upcoming").at(-1) ?? null,
      reminders: form.getAll("reminders").at(-1) ?? null,
      paused_until: form.get("paused_until") ?? "",
    },
  );
  if (Object.keys(chosen.mistakes).length > 0) return chosen.mistakes;
  // An older version stored more, of which an owner may keep as many as he likes.
  if (lists.searches.length > Math.max(MAX_SEARCHES, stored.filter.q?.length ?? 0)) {
    return { searches: say("mistake.searches", { count: MAX_SEARCHES }) };
  }
  const now = clock();
  const gone = new Set(await findUnknownReleases(database, all));
  const releases = all.filter((release) => !gone.has(release));
  const filter = filterOf(lists);
  await savePreferences(database, stored.subscription_id, {
    preferences: {
      filter,
      releases,
      scope: coveredScope(scope ?? impliedScope(filter, { releases: all, stored }), filter),
      cadence: cadence ?? "weekly",
      upcoming: upcoming === null ? stored.upcoming : upcoming === "yes",
      reminders: reminders === null ? stored.reminders : reminders === "yes",
    },
    pausedUntil: paused_until > mailDay({ clock, config }) ? paused_until : null,
    now,
  });
  return {};
}

/** Lists without a value cover all releases; who says anything of all of them has chosen. */
function coveredScope(scope: Scope, filter: ChangesFilter): Scope {
  if (scope === "watched") return scope;
  return Object.keys(filter).length > 0 ? "chosen" : "all";
}

/** What a form without a scope covers: nothing that it leaves out widens what is stored. */
function impliedScope(
  filter: ChangesFilter,
  { releases, stored }: { releases: readonly string[]; stored: OwnSubscription },
): Scope {
  if (choosesReleases(filter)) return "chosen";
  return stored.scope === "all" && releases.length === 0 ? "all" : "watched";
}
