import { filterQuery } from "../../components/search/search_query.ts";
import { type ChangeKind, KINDS_IN_WORDS } from "../roadmap/changes/kinds.ts";
import { CALENDAR_PATH, FEEDS, webcalAddress } from "../roadmap/feed_addresses.ts";
import { describeFilter } from "../roadmap/filter/filter_in_words.ts";
import type { FilterValues } from "../roadmap/filter/filter_values.ts";
import type { Site } from "../roadmap/sites.ts";
import { followQuery } from "./follow/follow_query.ts";
import { CopyLink } from "../../components/copy_buttons.tsx";
import type { SiteFrame } from "./site_frame.ts";

/** Every way to follow a part of the roadmap that needs no email address. */
export function FollowWays(
  { frame: { site }, filter, kinds }: {
    frame: SiteFrame;
    filter: FilterValues;
    /** Of changes, which feeds can be narrowed to. */
    kinds: readonly ChangeKind[];
  },
) {
  const query = filterQuery(filter);
  const feedQuery = followQuery(filter, kinds);
  const named = kinds.map((kind) => KINDS_IN_WORDS[kind].name.toLowerCase());
  const [rss] = FEEDS;
  const rssAddress = site.url + rss.path + feedQuery;
  const calendar = site.url + CALENDAR_PATH + query;
  return (
    <section class="follow-ways">
      <h2>Without email</h2>
      <p class="quiet">{describeFilter(filter) || "All releases"}</p>
      <dl>
        <dt>Feed reader</dt>
        <dd>
          {named.length > 0 && <p class="quiet">Only changes: {named.join(", ")}</p>}
          <FeedLinks site={site} query={feedQuery} />
        </dd>
        <dt>Calendar</dt>
        <dd>
          <p>
            <a href={webcalAddress(calendar)}>Add to calendar</a>{" "}
            <CopyLink address={calendar} label="Copy address" />
          </p>
        </dd>
        <dt>Spreadsheet</dt>
        <dd>
          <p>
            <a href={`${site.path}/releases.csv${query}`}>Download as CSV</a>
          </p>
        </dd>
        <dt>Slack</dt>
        <dd>
          <p>
            In a channel with the RSS app: <code>/feed subscribe {rssAddress}</code>{" "}
            <CopyLink address={`/feed subscribe ${rssAddress}`} label="Copy command" />
          </p>
        </dd>
        <dt>Microsoft Teams</dt>
        <dd>
          <p>
            Add the RSS app to a channel, and paste this address: <code>{rssAddress}</code>{" "}
            <CopyLink address={rssAddress} label="Copy address" />
          </p>
        </dd>
      </dl>
    </section>
  );
}

function FeedLinks({ site, query }: { site: Site; query: string }) {
  return (
    <>
      {FEEDS.map(({ name, path }) => (
        <p key={name}>
          <a href={site.path + path + query}>{name}</a>{" "}
          <CopyLink address={site.url + path + query} label={`Copy ${name}`} />
        </p>
      ))}
      {query === "" && (
        <p>
          <a href={`${site.path}/feeds.opml`}>A feed for each product (OPML)</a>
        </p>
      )}
    </>
  );
}
