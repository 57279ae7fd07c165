import { CALENDAR_PATH, FEEDS, webcalAddress } from "../lib/roadmap/feed_addresses.ts";
import { type FilterValues, NO_FILTER } from "../lib/roadmap/filter/filter_values.ts";
import { closeOnEscape, closeWhenLeft } from "./close_details.ts";
import { CopyAddress } from "./copy_address.tsx";
import { filterQuery, isNarrowed } from "./search/search_query.ts";

export interface FollowMenuProps {
  /** What the button says. */
  label: string;
  /** Of the site, absolute. */
  url: string;
  /** Of the site, as in `/b` */
  path: string;
  /** What is followed. */
  filter: FilterValues;
  /** The page with the same content, below the site. */
  page: string;
}

/** Every way to follow changes: feeds, a calendar, mails, and the address of the page. */
export function FollowMenu({ label, url, path, filter, page }: FollowMenuProps) {
  const query = filterQuery(filter);
  return (
    <details class="follow-menu" onFocusOut={closeWhenLeft} onKeyDown={closeOnEscape}>
      <summary>{label}</summary>
      <div>
        <ul>
          {FEEDS.map(({ name, path: feed }) => (
            <li key={name}>
              <a href={path + feed + query}>{name}</a>
            </li>
          ))}
          <li>
            <a href={webcalAddress(url + CALENDAR_PATH + query)}>Calendar</a>
          </li>
          <li>
            <a href={`${path}/subscribe${filterQuery(mailFilter(filter))}`}>Email</a>
          </li>
        </ul>
        {isNarrowed({ ...filter, product_name: [], release_type: [], release_status: [] }) && (
          <p class="hint">Email subscriptions use only product, type and status.</p>
        )}
        <CopyAddress address={url + page} />
      </div>
    </details>
  );
}

/** The filters of a subscription. */
function mailFilter({ product_name, release_type, release_status }: FilterValues): FilterValues {
  return { ...NO_FILTER, product_name, release_type, release_status };
}
