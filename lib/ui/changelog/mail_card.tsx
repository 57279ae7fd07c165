import { describePreferences } from "../../delivery/subscriptions/preferences_in_words.ts";
import type { ChangeKind } from "../../roadmap/changes/kinds.ts";
import { CALENDAR_PATH, webcalAddress } from "../../roadmap/feed_addresses.ts";
import { isDuePeriod } from "../../roadmap/filter/due.ts";
import type { FilterValues } from "../../roadmap/filter/filter_values.ts";
import { filterOf } from "../../roadmap/filter/preference_list.ts";
import { EmailForm } from "../follow/email_form.tsx";
import { followQuery } from "../follow/follow_query.ts";
import type { SiteFrame } from "../site_frame.ts";

/** Asks to be emailed of such changes every week; beside it other ways to get them. */
export function MailCard({ followed, kinds, frame }: {
  followed: FilterValues;
  kinds: readonly ChangeKind[];
  frame: SiteFrame;
}) {
  const { services: { config }, site } = frame;
  const lists = {
    products: [...followed.product_name],
    types: [...followed.release_type],
    statuses: [...followed.release_status],
    tags: [...followed.tag],
    sources: [...followed.source],
    searches: followed.q.trim() === "" ? [] : [followed.q],
    due: isDuePeriod(followed.due) ? [followed.due] : [],
    kinds: [...kinds],
  };
  const filter = filterOf(lists);
  const preferences = {
    scope: Object.keys(filter).length > 0 ? "chosen" as const : "all" as const,
    filter,
    releases: [],
    cadence: "weekly" as const,
  };
  const withKinds = followQuery(followed, kinds);
  return (
    <aside class="card mail-card" aria-labelledby="mail-heading">
      <h2 id="mail-heading">Get this by email</h2>
      <EmailForm
        lists={lists}
        cadence="weekly"
        button="Subscribe"
        hint={`${describePreferences(preferences, config.digestTimes)} Only if something changed.`}
        frame={frame}
      />
      <p class="hint">
        <a href={`${site.path}/rss.xml${withKinds}`}>RSS</a> ·{" "}
        <a href={webcalAddress(site.url + CALENDAR_PATH + followQuery(followed))}>Calendar</a> ·
        {" "}
        <a href={`${site.path}/subscribe${withKinds}`}>Slack, Teams and more</a>
      </p>
    </aside>
  );
}
