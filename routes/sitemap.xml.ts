import { z } from "zod";
import { readModifiedDays } from "../lib/roadmap/items_sql.ts";
import { formatXmlDocument, type Xml, xml } from "../lib/text/xml.ts";
import { parseParameters, wholeNumber } from "../lib/http/requests/parameters.ts";
import { Problem } from "../lib/http/responses/problem.ts";
import type { Content } from "../lib/http/responses/representation.ts";
import type { Site } from "../lib/roadmap/sites.ts";
import type { Context, ReadConfig, ReadHandlers } from "./route.ts";

/** A sitemap holds at most 50,000 addresses (sitemaps.org/protocol.html); some are left for pages. */
const MAX_RELEASES = 49_000;

const SITEMAP_QUERY = z.object({
  page: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }).optional(),
});

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "The addresses of all pages, for search engines",
};

/** The fixed pages and every active release; an index of parts if there are many. */
export const handler: ReadHandlers = {
  GET: {
    read({ query }, context) {
      const { page } = parseParameters(SITEMAP_QUERY, query);
      return {
        normalised: page,
        async build() {
          const selection = await context.services.selections.select(
            { include_inactive: false },
          );
          const parts = Math.max(1, Math.ceil(selection.count / MAX_RELEASES));
          if (page === undefined && parts > 1) return formatIndex(context.site, parts);
          const part = page ?? 1;
          if (part > parts) throw new Problem(404, `The sitemap has no part ${part}`);
          return await formatPart(
            selection.slice((part - 1) * MAX_RELEASES, part * MAX_RELEASES),
            { isFirst: part === 1, context },
          );
        },
      };
    },
  },
};

function formatIndex({ url }: Site, parts: number): Content {
  const numbers = Array.from({ length: parts }, (_, index) => index + 1);
  return xmlContent(
    xml`
      <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      ${numbers.map((part) =>
        xml`
          <sitemap>
            <loc>${url}/sitemap.xml?page=${part}</loc>
          </sitemap>
        `
      )}
      </sitemapindex>
    `,
  );
}

async function formatPart(
  ids: readonly string[],
  { isFirst, context: { services, site } }: { isFirst: boolean; context: Context },
): Promise<Content> {
  const { url, variant } = site;
  const changelog = variant.hasChangelog ? ["/changelog"] : [];
  const standing = ["/", ...changelog, "/insights", "/compare", "/subscribe", "/api"];
  const releases = ids.length > 0 ? await readModifiedDays(services.database, ids) : [];
  return xmlContent(
    xml`
      <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      ${isFirst
        ? standing.map((path) =>
          xml`
            <url>
              <loc>${url}${path}</loc>
            </url>
          `
        )
        : null}${releases.map(({ release_item_id, last_modified }) =>
          xml`
            <url>
              <loc>${url}/release/${release_item_id}</loc>
              <lastmod>${last_modified}</lastmod>
            </url>
          `
        )}</urlset>
    `,
  );
}

function xmlContent(root: Xml): Content {
  return { contentType: "application/xml; charset=utf-8", body: formatXmlDocument(root) };
}
