import { formatLongDay, isCalendarDate } from "../../lib/text/dates.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { readChangelogDay } from "../../lib/roadmap/changes/page_changelog.ts";
import { NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import { EntryDays } from "../../lib/ui/changelog_entries.tsx";
import { Day } from "../../lib/ui/dates.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.tsx";
import type { Context, ReadConfig, ReadHandlers } from "../route.ts";
import { rich, say } from "../../lib/text/messages.ts";
import { said } from "../../lib/text/said.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "The changes of one day",
};

/** The changes of one day, at an address that stays. */
export const handler: ReadHandlers = {
  GET: {
    isIn: (variant) => variant.hasChangelog,
    read({ path: { day } }, context) {
      if (!isCalendarDate(day!)) throw new Problem(404, said("problem.no_day", { day: day! }));
      return { normalised: { day }, build: () => build(day!, context) };
    },
  },
};

async function build(day: string, context: Context) {
  const { services: { database, config }, site } = context;
  const { beside, ...changes } = await readChangelogDay(day, { database, variant: site.variant });
  const title = say("changelog.day", { day: formatLongDay(day) });
  const isEmpty = changes.entries.length + changes.introductions.length === 0;
  return pageContent(
    <Layout
      title={title}
      context={context}
      followed={NO_FILTER}
      path={`/changelog/${day}`}
      description={say("changelog.day_description", {
        site: config.SITE_NAME,
        day: formatLongDay(day),
      })}
    >
      <div class="changelog-page">
        <div class="intro">
          <h1>{title}</h1>
        </div>
        {isEmpty && <p class="notice">{say("changelog.nothing_changed_on_this")}</p>}
        <EntryDays {...changes} site={site} />
        <nav class="pages" aria-label={say("changelog.days_with_changes")}>
          {beside.after === null
            ? <span />
            : (
              <a rel="prev" href={`${site.path}/changelog/${beside.after}`}>
                {rich("changelog.day_after", { day: <Day day={beside.after} /> })}
              </a>
            )}
          <a href={`${site.path}/changelog`}>{say("preference_all.kinds")}</a>
          {beside.before === null
            ? <span />
            : (
              <a rel="next" href={`${site.path}/changelog/${beside.before}`}>
                {rich("changelog.day_before", { day: <Day day={beside.before} /> })}
              </a>
            )}
        </nav>
      </div>
    </Layout>,
  );
}
