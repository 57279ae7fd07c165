import { Name } from "../../islands/name.tsx";
import {
  countReleases,
  type Digest,
  type DigestChange,
  type DigestItem,
} from "../../lib/delivery/digests/digest.ts";
import { formatDays, summarise } from "../../lib/delivery/digests/digest_mail.ts";
import { DUE_TITLES, type DueSection } from "../../lib/delivery/digests/due_section.ts";
import { DIGEST_DAYS, openDigest } from "../../lib/delivery/digests/opened_digest.ts";
import { readLinkToken } from "../../lib/http/link_token.ts";
import { countOf } from "../../lib/text/count_of.ts";
import { type SpacedPart, spaceParts } from "../../lib/text/word_diff.ts";
import { answerLink, type LinkPage } from "../../lib/ui/link_page.tsx";
import { KINDS_IN_WORDS } from "../../lib/roadmap/changes/kinds.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import type { ActionHandler } from "../route.ts";

/**
 * A digest as a page, as it was sent, opened by a link of its emails. The page is the same for all
 * who got them and names no receiver, so that the link can be passed on.
 */
export const digestPage: ActionHandler = {
  async answer(request, { address, target }, context) {
    const token = readLinkToken(target);
    const digest = token === null ? null : await openDigest(token, { address, ...context });
    return answerLink(request, {
      token,
      link: digest,
      hasNewLink: false,
      ended: (
        <p>
          Digests can be viewed here for {DIGEST_DAYS} days. See{" "}
          <a href={context.site.path + changesPath(context.site)}>what has changed since</a>.
        </p>
      ),
      page: (_, digest) => buildPage(digest, context.site),
    }, context);
  },
};

function buildPage(digest: Digest, site: Site): LinkPage {
  const listed = countReleases(digest.groups.flatMap(({ items }) => items));
  const more = digest.total - listed;
  return {
    status: 200,
    title: summarise(digest),
    isWide: true,
    children: (
      <>
        <p>{formatDays(digest)}: {countOf(digest.total, "release")} changed.</p>
        {digest.groups.map(({ kind, items }) => (
          <section key={kind}>
            <h2>{KINDS_IN_WORDS[kind].title}</h2>
            <ul class="digest">
              {items.map((item) => <Item key={item.release_item_id} item={item} site={site} />)}
            </ul>
          </section>
        ))}
        {more > 0 && (
          <p>
            <a href={site.path + changesPath(site)}>and {countOf(more, "more release")}</a>
          </p>
        )}
        {(digest.due ?? []).map((section) => (
          <DueReleases key={section.period} section={section} site={site} />
        ))}
      </>
    ),
  };
}

function DueReleases({ section: { period, items, total, query }, site }: {
  section: DueSection;
  site: Site;
}) {
  const more = total - items.length;
  const words = `and ${countOf(more, "more release")}`;
  return (
    <section>
      <h2>{DUE_TITLES[period]}</h2>
      <ul class="digest">
        {items.map((item) => (
          <Item key={item.release_item_id} item={{ ...item, changes: [] }} site={site} />
        ))}
      </ul>
      {more > 0 && <p>{query === null ? words : <a href={`${site.path}/${query}`}>{words}</a>}</p>}
    </section>
  );
}

function Item({ item, site }: { item: DigestItem; site: Site }) {
  if (item.releases) {
    return (
      <li>
        <h3 dir="auto">{item.feature_name}</h3>
        <ul>
          {item.releases.map(({ release_item_id, feature_name }) => (
            <li key={release_item_id}>
              <a href={`${site.path}/release/${release_item_id}`}>
                <Name text={feature_name} />
              </a>
            </li>
          ))}
        </ul>
      </li>
    );
  }
  return (
    <li>
      <h3>
        <a href={`${site.path}/release/${item.release_item_id}`}>
          <Name text={item.feature_name} />
        </a>
      </h3>
      <p class="quiet" dir="auto">{item.details}</p>
      {item.sentence && <p dir="auto">{item.sentence}</p>}
      {item.changes.map((change) => <ChangeInDigest key={change.text} {...change} />)}
    </li>
  );
}

function ChangeInDigest({ text, diff }: DigestChange) {
  return (
    <>
      <p dir="auto">{text}</p>
      {diff && <blockquote class="diff" dir="auto">{spaceParts(diff).map(renderPart)}</blockquote>}
    </>
  );
}

function renderPart({ kind, space, words }: SpacedPart, place: number) {
  if (kind === "kept") return words;
  return [
    space,
    kind === "removed" ? <del key={place}>{words}</del> : <ins key={place}>{words}</ins>,
  ];
}

/** Where a site shows what changed. */
function changesPath({ variant }: Site): string {
  return variant.hasChangelog ? "/changelog" : "/";
}
