import { LRUCache } from "lru-cache";
import type { Database } from "../../database/database.ts";
import { AsyncCache } from "../../work/async.ts";
import type { MailSite } from "../mail/mail_content.ts";
import type { WrittenMail } from "../mail/mail_frame.ts";
import { makeLinkToken } from "../tokens.ts";
import { type AskedDigest, DigestComposer } from "./compose_digests.ts";
import type { Digest } from "./digest.ts";
import { writeDigest } from "./digest_mail.ts";
import { type DigestReceiver, readDigest, storeDigests } from "./digests_sql.ts";

/** The most that are remembered: which digest is whose, by id; */
const MAX_DIGESTS = 10_000;
/** and digests and their emails, as those of one claim go out in turn. */
const MAX_WRITTEN = 50;

/** Whose digest is made. */
type Asked = AskedDigest & { readonly receiver: DigestReceiver };

/** Makes digests as they are sent, and writes them as mails: each once for all who get it. */
export class WrittenDigests {
  readonly #composer: DigestComposer;
  readonly #made = new LRUCache<string, { id: string | null }>({ max: MAX_DIGESTS });
  readonly #digests = new LRUCache<string, Digest>({ max: MAX_WRITTEN });
  readonly #written = new AsyncCache<WrittenMail>({ max: MAX_WRITTEN });

  constructor(
    private readonly parts: { readonly database: Database; readonly tokenSecret: string },
  ) {
    this.#composer = new DigestComposer(parts.database);
  }

  /**
   * Makes and stores what receivers have not been sent, for many at once; the page of a digest shows
   * it as well. Returns the id of each; null: there is nothing to say.
   */
  async make(all: readonly Asked[], now: Date): Promise<(string | null)[]> {
    const made = new Map<string, { id: string | null }>();
    const missing = new Map<string, Asked>();
    for (const asked of all) {
      const known = this.#made.get(keyOf(asked));
      if (known) made.set(keyOf(asked), known);
      else missing.set(keyOf(asked), asked);
    }
    const composed = await this.#composer.compose([...missing.values()]);
    const digests = composed.filter((digest) => digest !== null);
    const ids = await storeDigests(this.parts.database, digests, now);
    for (const [place, id] of ids.entries()) this.#digests.set(id, digests[place]!);
    for (const [place, key] of [...missing.keys()].entries()) {
      const digest = composed[place]!;
      const one = { id: digest && ids[digests.indexOf(digest)]! };
      made.set(key, one);
      this.#made.set(key, one);
    }
    return all.map((asked) => made.get(keyOf(asked))!.id);
  }

  /** Writes the digest of a receiver, a person of a site; null: there is nothing to say. */
  async write(asked: Asked, site: MailSite, now: Date): Promise<WrittenMail | null> {
    const [id] = await this.make([asked], now);
    return id ? await this.#written.get(id, () => this.#write(id, site)) : null;
  }

  async #write(digestId: string, site: MailSite): Promise<WrittenMail> {
    const { database, tokenSecret } = this.parts;
    const digest = this.#digests.get(digestId) ?? await readDigest(database, digestId);
    if (digest === null) throw new Error("Its digest was deleted");
    const pageUrl = `${site.siteUrl}/digest?token=${
      makeLinkToken("digest", digestId, tokenSecret)
    }`;
    return writeDigest(digest, { ...site, pageUrl });
  }
}

function keyOf({ receiver, upTo, today }: Asked): string {
  return [receiver.filter_key, receiver.last_notified_change, upTo, today].join(" ");
}
