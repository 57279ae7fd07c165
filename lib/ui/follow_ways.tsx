import type { ComponentChildren } from "preact";
import { CopyLink } from "../../components/copy_buttons.tsx";
import { filterQuery } from "../../components/search/search_query.ts";
import { type ChangeKind, nameKind } from "../roadmap/changes/kinds.ts";
import { CALENDAR_PATH, FEEDS, webcalAddress } from "../roadmap/feed_addresses.ts";
import { type FilterValues } from "../roadmap/filter/filter_values.ts";
import { describeFilter } from "../roadmap/filter/filter_words.ts";
import type { Site } from "../roadmap/sites.ts";
import { joinParts, withinSentence } from "../text/phrases.ts";
import { followQuery } from "./layout.tsx";
import { rich, say } from "../text/messages.ts";

/** Every way to follow a part of the roadmap that needs no email address. */
export function FollowWays({ site, filter, kinds }: {
  site: Site;
  filter: FilterValues;
  /** Of changes, which feeds can be narrowed to. */
  kinds: readonly ChangeKind[];
}) {
  const query = filterQuery(filter);
  const feedQuery = followQuery(filter, kinds);
  const only = joinParts(kinds.map((kind) => withinSentence(nameKind(kind))));
  const [rss] = FEEDS;
  const rssAddress = site.url + rss.path + feedQuery;
  const calendar = site.url + CALENDAR_PATH + query;
  return (
    <div class="follow-ways card">
      <p>
        {describeFilter(filter) || say("follow.all")}
        {only && <span class="quiet">{say("follow.kinds", { kinds: only })}</span>}
      </p>
      <dl>
        <Way name={say("follow.reader")} copied={rssAddress} label={say("follow.copy_rss_address")}>
          {FEEDS.map(({ name, path }) => (
            <>
              <a href={site.path + path + feedQuery}>{name}</a>
              {" "}
            </>
          ))}
          {feedQuery === "" && (
            <a href={`${site.path}/feeds.opml`}>{say("follow.one_feed_per_product")}</a>
          )}
        </Way>
        <Way
          name={say("share.calendar")}
          copied={calendar}
          label={say("follow.copy_calendar_address")}
        >
          <a href={webcalAddress(calendar)}>{say("follow.add_to_calendar")}</a>{" "}
          <a href={`${site.path}/releases.csv${query}`}>{say("follow.download_as_csv")}</a>
        </Way>
        <Way
          name="Slack"
          copied={`/feed subscribe ${rssAddress}`}
          label={say("follow.copy_command")}
        >
          {rich("follow.slack", {
            command: <code>/feed subscribe {rssAddress}</code>,
          })}
        </Way>
        <Way name="Microsoft Teams" copied={rssAddress} label={say("follow.copy_address")}>
          {rich("follow.teams", {
            address: <code>{rssAddress}</code>,
          })}
        </Way>
      </dl>
    </div>
  );
}

/** One of them, with what is copied for it. */
function Way({ name, copied, label, children }: {
  name: string;
  copied: string;
  label: string;
  children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd>
        <CopyLink address={copied} label={label} />
      </dd>
    </div>
  );
}
