import { formatXmlDocument, xml } from "../text/xml.ts";

/** A feed in a list of feeds. */
export interface ListedFeed {
  title: string;
  url: string;
  /** The page of what it holds. */
  page: string;
}

export const OPML_TYPE = "text/x-opml";

/** A list of RSS feeds as OPML 2.0 (opml.org/spec2.opml, "Subscription lists"). */
export function formatOpml(title: string, feeds: readonly ListedFeed[]): string {
  return formatXmlDocument(xml`
    <opml version="2.0">
      <head>
        <title>${title}</title>
      </head>
      <body>
        ${feeds.map((feed) =>
          xml`
            <outline type="rss" version="RSS2" text="${feed.title}" title="${feed
              .title}" xmlUrl="${feed.url}"
              htmlUrl="${feed.page}" />
          `
        )}
      </body>
    </opml>
  `);
}
