import { z } from "zod";
import { day, parseParameters } from "../lib/http/requests/parameters.ts";
import { cursorParameter, formatCursor } from "../lib/roadmap/changes/change_cursor.ts";
import { readChangedReleases, summarise } from "../lib/roadmap/changes/visit_changes.ts";
import { formatShortDay } from "../lib/text/dates.ts";
import { say } from "../lib/text/messages.ts";
import { json, type ReadConfig, type ReadHandlers, today } from "./route.ts";

const QUERY = z.object({ after: cursorParameter(), day: day() });

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "What changed since a visit, for the script of pages that says so",
};

/** What `/api/changes/releases` finds, in the words of a page, and where to see it. */
export const handler: ReadHandlers = {
  GET: {
    read({ query }, { services, site: { path, variant } }) {
      const { after, day = today(services) } = parseParameters(QUERY, query);
      return {
        normalised: { after, day },
        async build() {
          const changed = await readChangedReleases(after, {
            database: services.database,
            variant,
            among: { include_inactive: true },
          });
          const { release_item_ids, total, first_day, next_after } = changed;
          const since = formatShortDay(day);
          return json({
            release_item_ids,
            next_after,
            words: total === 0
              ? say("visit.nothing", { since })
              : say("visit.news", { news: summarise(changed), since }),
            ...total > 0 && {
              link: variant.hasChangelog
                ? `${path}/changelog?${new URLSearchParams({ after: formatCursor(after!) })}`
                : `${path}/?modified_since=${first_day}`,
            },
          });
        },
      };
    },
  },
};
