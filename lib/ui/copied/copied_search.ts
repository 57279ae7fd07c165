import {
  type FoundItem,
  isSoonestFirst,
  searchAddress,
  type SearchAnswer,
  type SearchQuery,
  titleSearch,
} from "../../../components/search/search_query.ts";
import type { MailItem, MailPart, MailTone } from "../../delivery/mail/mail_content.ts";
import type { MailFragment } from "../../delivery/mail/mail_fragment.ts";
import type { StatusTone } from "../../roadmap/status_tone.ts";
import { countOf } from "../../text/count_of.ts";
import { formatDay, formatPlanned, quarterOf } from "../../text/dates.ts";
import { shorten } from "../../text/shorten.ts";
import { toLine } from "../../text/to_line.ts";
import type { SiteFrame } from "../site_frame.ts";

/** The colours of statuses, as on the pages (static/style.css). */
const STATUS_TONES: Readonly<Record<StatusTone, MailTone>> = {
  planned: "blue",
  in_progress: "amber",
  shipped: "green",
  stopped: "red",
};

/** The most characters of a status: it does not wrap. */
const STATUS_LENGTH = 40;

/** A status in its colour. */
export function signOf({ release_status, tone }: { release_status: string; tone: StatusTone }) {
  return { text: shorten(toLine(release_status), STATUS_LENGTH), tone: STATUS_TONES[tone] };
}

/** A page of the list, as it is pasted into an email. */
export function copySearch(
  search: SearchQuery,
  { items, total }: SearchAnswer,
  { services: { config }, site }: SiteFrame,
): MailFragment {
  const groups = Map.groupBy(
    items,
    ({ release_date }) =>
      isSoonestFirst(search) ? release_date === null ? "No date" : quarterOf(release_date) : "",
  );
  const more = total - items.length;
  const url = site.url + searchAddress("", { ...search, page: 1 });
  const asOf = search.as_of === undefined ? "" : `, as of ${formatDay(search.as_of)}`;
  const title = toLine(titleSearch(search));
  const found = total === 0 ? "no releases" : countOf(total, "release");
  return {
    heading: `Roadmap of ${config.SITE_NAME}`,
    parts: [
      { kind: "paragraph", text: `${title && `${title}: `}${found}${asOf}.` },
      ...[...groups].map(([name, found]): MailPart => ({
        kind: "releases",
        title: name || "Releases",
        tone: "quiet",
        bullet: "-",
        items: found.map(toMailItem),
      })),
      ...more > 0
        ? [{ kind: "link" as const, label: `and ${more.toLocaleString("en")} more`, url }]
        : [],
      { kind: "link", label: `Open the roadmap of ${config.SITE_NAME}`, url },
    ],
  };
}

function toMailItem(item: FoundItem): MailItem {
  const { release_item_id, feature_name, release_date, moved_from, active } = item;
  const planned = release_date === null ? "No date" : formatPlanned(release_date);
  return {
    release_item_id,
    feature_name,
    pill: signOf(item),
    details: [
      ...active === false ? ["Removed"] : [],
      moved_from === undefined ? planned : `${planned}, moved from ${formatPlanned(moved_from)}`,
      item.product_names.join(", "),
      item.release_type,
    ].join(" · "),
    changes: [],
  };
}
