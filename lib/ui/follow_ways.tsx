import type { ComponentChildren } from "preact";
import { CopyLink } from "../../components/copy_buttons.tsx";
import { filterQuery } from "../../components/search/search_query.ts";
import { type ChangeKind, KINDS_IN_WORDS } from "../roadmap/changes/kinds.ts";
import { CALENDAR_PATH, FEEDS, webcalAddress } from "../roadmap/feed_addresses.ts";
import { type FilterValues } from "../roadmap/filter/filter_values.ts";
import { describeFilter } from "../roadmap/filter/filter_words.ts";
import type { Site } from "../roadmap/sites.ts";
import { followQuery } from "./layout.tsx";

/** Every way to follow a part of the roadmap that needs no email address. */
export function FollowWays({ site, filter, kinds }: {
  site: Site;
  filter: FilterValues;
  /** Of changes, which feeds can be narrowed to. */
  kinds: readonly ChangeKind[];
}) {
  const query = filterQuery(filter);
  const feedQuery = followQuery(filter, kinds);
  const only = kinds.map((kind) => KINDS_IN_WORDS[kind].name.toLowerCase()).join(", ");
  const [rss] = FEEDS;
  const rssAddress = site.url + rss.path + feedQuery;
  const calendar = site.url + CALENDAR_PATH + query;
  return (
    <div class="follow-ways card" data-followed>
      <p>
        {describeFilter(filter) || "All releases"}
        {only && <span class="quiet">, changes of these kinds: {only}</span>}
      </p>
      <dl>
        <Way name="Feed reader" copied={rssAddress} label="Copy RSS address">
          {FEEDS.map(({ name, path }) => (
            <>
              <a href={site.path + path + feedQuery}>{name}</a>
              {" "}
            </>
          ))}
          {feedQuery === "" && <a href={`${site.path}/feeds.opml`}>One feed per product (OPML)</a>}
        </Way>
        <Way name="Calendar" copied={calendar} label="Copy calendar address">
          <a href={webcalAddress(calendar)}>Add to calendar</a>{" "}
          <a href={`${site.path}/releases.csv${query}`}>Download as CSV</a>
        </Way>
        <Way name="Slack" copied={`/feed subscribe ${rssAddress}`} label="Copy command">
          Send this command in a channel that has the RSS app:{" "}
          <code>/feed subscribe {rssAddress}</code>
        </Way>
        <Way name="Microsoft Teams" copied={rssAddress} label="Copy address">
          Add the RSS app to a channel and paste this address: <code>{rssAddress}</code>
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
