import { LRUCache } from "lru-cache";
import type { Database } from "../../database/database.ts";
import type { NetRelease } from "../../roadmap/changes/net_changes_sql.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { COMPARED_LENGTH, type DescribedItem, describeItem, formatDigest } from "./digest.ts";
import { writeDigest } from "./digest_mail.ts";
import { type DigestReceiver, readDigest, storeDigest } from "./digests_sql.ts";
import { readPendingChanges } from "./pending_changes_sql.ts";
import { readDueSections } from "./read_due_sections.ts";
import type { MailSite } from "../mail/mail_content.ts";
import type { WrittenMail } from "../mail/mail_frame.ts";
import { describeScope } from "../subscriptions/preferences_in_words.ts";
import { makeLinkToken } from "../tokens.ts";
import { AsyncCache } from "../../work/async.ts";

/** The most releases that the page of a digest lists; its email lists the first of them. */
const MAX_ITEMS = 100;
/** The most that are remembered: releases with their changes in words, which many digests share; */
const MAX_RELEASES = 2_000;
/** which digest is whose, by id; */
const MAX_DIGESTS = 10_000;
/** and emails, as those of one run go out in turn. */
const MAX_WRITTEN = 20;

/** Whose digest is made, up to which change, and when. */
interface Asked {
  receiver: DigestReceiver;
  upTo: string;
  now: Date;
  /** `YYYY-MM-DD` */
  today: string;
  variant: Variant;
}

/** Makes digests as they are sent, and writes them as mails: each once for all who get it. */
export class WrittenDigests {
  readonly #described = new LRUCache<string, DescribedItem>({ max: MAX_RELEASES });
  readonly #made = new AsyncCache<{ id: string | null }>({ max: MAX_DIGESTS });
  readonly #written = new AsyncCache<WrittenMail>({ max: MAX_WRITTEN });

  constructor(
    private readonly parts: { readonly database: Database; readonly tokenSecret: string },
  ) {}

  /** Writes what its receiver, a person of a site, has not been sent; null: there is nothing. */
  async write(asked: Asked, site: MailSite): Promise<WrittenMail | null> {
    const { receiver: { filter_key, last_notified_change: after }, upTo, today } = asked;
    const key = [filter_key, after, upTo, today].join(" ");
    const { id } = await this.#made.get(key, () => this.#make(asked));
    return id === null ? null : await this.#written.get(id, () => this.#write(id, site));
  }

  /** Stores the content, which its page shows as well. */
  async #make(asked: Asked): Promise<{ id: string | null }> {
    const { receiver, upTo, now, today, variant } = asked;
    const { database } = this.parts;
    const news = await readPendingChanges(database, receiver, {
      upTo,
      view: variant,
      limit: MAX_ITEMS,
      today,
      textLength: COMPARED_LENGTH,
    });
    if (news.total === 0) return { id: null };
    const digest = {
      ...formatDigest(news.releases.map((item) => this.#describe(item, asked)), news),
      day: today,
      covers: describeScope(receiver),
      due: await readDueSections(database, receiver, { variant, today }),
    };
    return { id: await storeDigest(database, digest, now) };
  }

  #describe(item: NetRelease, { receiver, upTo, variant }: Asked): DescribedItem {
    const key = [variant.name, receiver.last_notified_change, upTo, item.release_item_id].join(" ");
    const described = this.#described.get(key) ?? describeItem(variant, item);
    this.#described.set(key, described);
    return described;
  }

  async #write(digestId: string, site: MailSite): Promise<WrittenMail> {
    const { database, tokenSecret } = this.parts;
    const digest = await readDigest(database, digestId);
    if (digest === null) throw new Error("Its digest was deleted");
    const pageUrl = `${site.siteUrl}/digest?token=${
      makeLinkToken("digest", digestId, tokenSecret)
    }`;
    return writeDigest(digest, { ...site, pageUrl });
  }
}
