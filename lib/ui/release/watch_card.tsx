import { CopyForEmail, CopyLink } from "../../../components/copy_buttons.tsx";
import { Name } from "../../../components/name.tsx";
import { filterQuery } from "../../../components/search/search_query.ts";
import { CALENDAR_PATH, webcalAddress } from "../../roadmap/feed_addresses.ts";
import type { FilterValues } from "../../roadmap/filter/filter_values.ts";
import type { Item } from "../../roadmap/item.ts";
import { toLine } from "../../text/to_line.ts";
import { EmailForm } from "../follow/email_form.tsx";
import type { SiteFrame } from "../site_frame.ts";

/** Asks to be emailed of changes to this release; beside it other ways to follow its product. */
export function WatchCard({ item, followed, frame }: {
  item: Item;
  /** The product of the release. */
  followed: FilterValues;
  frame: SiteFrame;
}) {
  const { site } = frame;
  const query = filterQuery(followed);
  return (
    <section class="card watch" aria-labelledby="watch-heading">
      <h2 id="watch-heading">Email me when this moves or ships</h2>
      <EmailForm
        lists={{ releases: [item.release_item_id] }}
        cadence="immediate"
        button="Watch this release"
        hint="One email per change, and reminders before the planned date."
        frame={frame}
      />
      <p class="hint">
        Or follow all of{" "}
        <a href={`${site.path}/subscribe${query}`}>
          <Name text={toLine(item.product_name)} />
        </a>: <a href={`${site.path}/rss.xml${query}`}>RSS</a> ·{" "}
        <a href={webcalAddress(site.url + CALENDAR_PATH + query)}>Calendar</a>
      </p>
      <p class="copies">
        <CopyLink address={`${site.url}/release/${item.release_item_id}`} />{" "}
        <CopyForEmail address={`${site.path}/copy?release_item_id=${item.release_item_id}`} />
      </p>
    </section>
  );
}
