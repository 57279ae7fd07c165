import { writeDigestPage } from "../lib/delivery/digests/digest_mail.ts";
import type { Digest } from "../lib/delivery/digests/digest.ts";
import { readDigest } from "../lib/delivery/digests/digests_sql.ts";
import { type Opening, readOwnToken } from "../lib/delivery/subscriptions/opened_link.ts";
import { PRIVATE_HEADERS, readLinkToken } from "../lib/http/clients/link_token.ts";
import { mailHeaders } from "../lib/http/responses/page_headers.ts";
import { answerLink } from "../lib/ui/link_page.tsx";
import type { ActionConfig, ActionHandlers } from "./route.ts";
import { rich } from "../lib/text/messages.ts";

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  ...mailHeaders("'none'"),
  ...PRIVATE_HEADERS,
  "X-Robots-Tag": "noindex",
};

/** How long a digest can be read as a page. */
const DIGEST_DAYS = 30;

export const config: ActionConfig = {
  errors: "page",
  summary: "A digest as a page, by the token of the link in its emails, for 30 days",
};

/**
 * A digest as a page, as it was sent, opened by a link of its emails. The page is the same for all
 * who got them and names no receiver, so that the link can be passed on.
 */
export const handler: ActionHandlers = {
  GET: {
    async answer(request, { address, target }, context) {
      const { services: { config }, site: { path, url, variant } } = context;
      const token = readLinkToken(target);
      const digest = token === null ? null : await openDigest(token, { address, ...context });
      const changesPath = variant.hasChangelog ? "/changelog" : "/";
      if (digest !== null) {
        const site = { siteName: config.SITE_NAME, siteUrl: url, changesUrl: url + changesPath };
        const body = request.method === "HEAD" ? null : writeDigestPage(digest, site);
        return new Response(body, { headers: HEADERS });
      }
      return answerLink<never>(request, {
        token,
        link: null,
        ended: (
          <p>
            {rich("digest.ended", {
              days: DIGEST_DAYS,
              since: (words) => <a href={path + changesPath}>{words}</a>,
            })}
          </p>
        ),
        page: (_, page) => page,
      }, context);
    },
  },
};

/** The digest that a token opens. Null: there is none, or its time is over. */
async function openDigest(token: string, opening: Opening): Promise<Digest | null> {
  const id = await readOwnToken("digest", token, opening);
  if (id === null) return null;
  const { database, clock } = opening.services;
  const since = new Date(clock().getTime() - DIGEST_DAYS * 24 * 60 * 60 * 1000);
  return await readDigest(database, id, { since });
}
