import { LRUCache } from "lru-cache";
import type { Database } from "../../database/database.ts";
import { writeDigest } from "./digest_mail.ts";
import { readDigest } from "./digests_sql.ts";
import type { MailSite } from "../mail/mail_content.ts";
import type { WrittenMail } from "../mail/mail_frame.ts";
import { makeLinkToken } from "../tokens.ts";

/** The most digests in memory: those of one run go out in turn. */
const MAX_ENTRIES = 20;

/** Writes digests as mails, each once for all who get it. */
export class WrittenDigests {
  readonly #written = new LRUCache<string, Promise<WrittenMail>>({ max: MAX_ENTRIES });

  constructor(
    private readonly parts: { readonly database: Database; readonly tokenSecret: string },
  ) {}

  /** Writes a digest, which waits in the outbox, for the people of a site. */
  write(digestId: string, site: MailSite): Promise<WrittenMail> {
    const known = this.#written.get(digestId);
    if (known) return known;
    const written = this.#write(digestId, site);
    this.#written.set(digestId, written);
    written.catch(() => this.#written.delete(digestId));
    return written;
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
