import { formatDay } from "../text/dates.ts";
import type { Digest, DigestItem } from "./digest.ts";
import {
  formatSubject,
  frameHtml,
  frameText,
  type MailSite,
  type MailWords,
} from "./mail_frame.tsx";
import { countOf } from "../text/count_of.ts";

/** What a digest mail is written from. */
export interface DigestMail extends MailSite {
  digest: Digest;
}

/** Writes the mail that tells a subscriber what has changed. */
export function formatDigestMail(mail: DigestMail): MailWords {
  const { siteName, digest } = mail;
  const count = digest.items.length + digest.more;
  const changed = `${countOf(count, "release")} ${count === 1 ? "has" : "have"} changed`;
  const subject = formatSubject(`${siteName}: ${changed}`);
  const days = [...Map.groupBy(digest.items, ({ day }) => day)];
  return { subject, text: formatText(mail, days), html: formatHtml(mail, { subject, days }) };
}

type Days = [day: string, items: DigestItem[]][];

function formatText(mail: DigestMail, days: Days): string {
  const { siteName, siteUrl, digest } = mail;
  const told = days.map(([day, items]) =>
    [formatDay(day), ...items.map((item) => formatTextItem(item, siteUrl))].join("\n\n")
  );
  const more = digest.more > 0 ? [`${moreWords(digest)}: ${siteUrl}${digest.morePath}`] : [];
  return frameText(mail, [introduce(siteName), ...told, ...more].join("\n\n"));
}

function formatTextItem(item: DigestItem, siteUrl: string): string {
  return [
    `* ${item.feature_name}`,
    describeItem(item),
    ...item.changes,
    linkOf(item, siteUrl),
  ].join("\n  ");
}

function formatHtml(
  mail: DigestMail,
  { subject, days }: { subject: string; days: Days },
): string {
  const { siteName, siteUrl, digest } = mail;
  const children = (
    <>
      <p>{introduce(siteName)}</p>
      {days.map(([day, items]) => (
        <section key={day}>
          <h2>{formatDay(day)}</h2>
          <ul>
            {items.map((item) => (
              <HtmlItem key={item.release_item_id} item={item} siteUrl={siteUrl} />
            ))}
          </ul>
        </section>
      ))}
      {digest.more > 0 && (
        <p>
          <a href={siteUrl + digest.morePath}>{moreWords(digest)}</a>
        </p>
      )}
    </>
  );
  return frameHtml(mail, { subject, children });
}

function HtmlItem({ item, siteUrl }: { item: DigestItem; siteUrl: string }) {
  return (
    <li>
      <p>
        <a href={linkOf(item, siteUrl)}>
          <strong>{item.feature_name}</strong>
        </a>
        <br />
        {describeItem(item)}
        {item.changes.flatMap((change, place) => [<br key={place} />, change])}
      </p>
    </li>
  );
}

function introduce(siteName: string): string {
  return `What has changed on the roadmap of ${siteName}:`;
}

function moreWords({ more }: Digest): string {
  return `and ${more} more`;
}

function describeItem(item: DigestItem): string {
  return [item.product_name, item.release_status, item.release_type, item.release_date]
    .filter(Boolean).join(" · ");
}

function linkOf({ release_item_id }: DigestItem, siteUrl: string): string {
  return `${siteUrl}/release/${release_item_id}`;
}
