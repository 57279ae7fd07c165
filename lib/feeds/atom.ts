import { v5 as uuidV5 } from "uuid";
import { z } from "zod";
import { formatXmlDocument, xml } from "../text/xml.ts";
import type { Entry } from "./entry.ts";
import { type Feed, type FeedFormat, formatMoment } from "./feed.ts";

/** Atom 1.0 (RFC 4287). */
export const ATOM: FeedFormat = {
  name: "Atom 1.0",
  mediaType: "application/atom+xml",
  maxEntries: 100,
  schema: z.string(),
  write: formatAtom,
};

function formatAtom(
  { title, page, description, author, self, hub, updated, entries }: Feed,
): string {
  const hubLink = hub && xml`
    <link rel="hub" href="${hub}" />
  `;
  return formatXmlDocument(xml`
    <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
      <id>${self}</id>
      <title>${title}</title>
      <subtitle>${description}</subtitle>
      <link rel="self" type="application/atom+xml" href="${self}"/>${hubLink}
      <link rel="alternate" type="text/html" href="${page}"/>
      <author><name>${author}</name></author>
      <updated>${updated}</updated>
      ${entries.map(formatEntry)}
    </feed>
  `);
}

/** RFC 9562, section 4: `urn:uuid:` takes a UUID and nothing else, so one is made of the id. */
function formatEntry({ id, url, title, modified, categories, content }: Entry) {
  const moment = formatMoment(modified);
  return xml`
    <entry>
      <id>urn:uuid:${uuidV5(id, uuidV5.URL)}</id>
      <title>${title}</title>
      <link rel="alternate" type="text/html" href="${url}"/>
      <published>${moment}</published>
      <updated>${moment}</updated>
      ${categories.map(formatCategory)}
      <content type="html">${content}</content>
    </entry>
  `;
}

function formatCategory(category: string) {
  return xml`
    <category term="${category}" />
  `;
}
