import { KIND_TONES } from "../../delivery/digests/digest_mail.ts";
import type { MailPart, MailTone } from "../../delivery/mail/mail_content.ts";
import type { MailFragment } from "../../delivery/mail/mail_fragment.ts";
import type { History } from "../../roadmap/changes/changes_sql.ts";
import { type DateChange, describeSlip } from "../../roadmap/changes/promise.ts";
import type { Item } from "../../roadmap/item.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { cleanName } from "../../text/clean_name.ts";
import { formatDay, formatPlanned } from "../../text/dates.ts";
import { excerptOf } from "../../text/plain_text.ts";
import { toLine } from "../../text/to_line.ts";
import { describeOnPage } from "../change_list.tsx";
import { findShipping, isOverdue, labelOf } from "../release/date_card.tsx";
import type { SiteFrame } from "../site_frame.ts";
import { signOf } from "./copied_search.ts";

/** The most characters of a description. */
const DESCRIPTION_LENGTH = 600;
/** The most days of its history, the newest ones. */
const MAX_RUNS = 10;

/** One release, as it is pasted into an email. */
export function copyRelease(
  { item, history, dates, today }: {
    item: Item;
    history: History;
    /** The changes of its date, oldest first. */
    dates: readonly DateChange[];
    /** `YYYY-MM-DD` */
    today: string;
  },
  { services: { config }, site: { variant, url } }: SiteFrame,
): MailFragment {
  const releaseUrl = `${url}/release/${item.release_item_id}`;
  const description = excerptOf(item.feature_description ?? "", { length: DESCRIPTION_LENGTH });
  const slip = describeSlip(dates, variant);
  const said = [
    [...item.product_names, item.release_type].map(toLine).join(" · "),
    dateInWords(item, history, variant),
    ...slip === null ? [] : [`${slip}.`],
    ...description === "" ? [] : [description],
  ];
  const runs = [...Map.groupBy(history.changes, ({ run_id }) => run_id).values()]
    .map((changes) => ({ day: changes[0]!.day, words: describeOnPage(variant, changes) }))
    .filter(({ words }) => words.length > 0).slice(0, MAX_RUNS);
  return {
    heading: cleanName(item.feature_name),
    parts: [
      { kind: "counts", counts: signsOf(item, today) },
      ...said.map((text): MailPart => ({ kind: "paragraph", text })),
      ...runs.map(({ day, words }): MailPart => ({
        kind: "paragraph",
        text: `${formatDay(day)}: ${words.map(({ text }) => cleanName(text)).join("; ")}`,
      })),
      { kind: "link", label: `Open on the roadmap of ${config.SITE_NAME}`, url: releaseUrl },
    ],
  };
}

/** The badges beside its name. */
function signsOf(item: Item, today: string): { text: string; tone: MailTone }[] {
  return [
    ...item.active ? [] : [{ text: "Removed", tone: KIND_TONES.removed }],
    signOf(item),
    ...isOverdue(item, today) ? [{ text: "Overdue", tone: KIND_TONES.slipped }] : [],
  ];
}

/** When it is planned or has shipped, as its page begins. */
function dateInWords(item: Item, history: History, variant: Variant): string {
  const { release_date: date } = item;
  const planned = date === null ? "no date" : formatPlanned(variant.formatDate(date));
  const shipped = item.tone === "shipped" ? findShipping(history, variant) : undefined;
  if (shipped === undefined) return `${labelOf(item)}: ${planned}`;
  const before = date === null ? "" : `, planned for ${planned}`;
  return `${labelOf(item)}: ${formatDay(shipped)}${before}`;
}
