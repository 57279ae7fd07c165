import { escapeMarkdown } from "../lib/text/markdown.ts";
import { toLine } from "../lib/text/phrases.ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";

/** What is linked under which heading: routes by their paths, those that the site has. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Pages: {
    "/": "Roadmap",
    "/changelog": "Changelog",
    "/insights": "Insights",
    "/compare": "Then and now",
  },
  Data: {
    "/openapi.json": "API description",
    "/api/releases": "Releases",
    "/api/changes": "Changes",
    "/api/filter-options": "Filter values",
    "/api/insights": "Figures",
    "/releases.csv": "Releases as CSV",
    "/changes.csv": "Changes as CSV",
    "/mcp": "MCP server",
  },
  Optional: {
    "/rss.xml": "RSS feed",
    "/atom.xml": "Atom feed",
    "/feed.json": "JSON Feed",
    "/feeds.opml": "Feeds by product",
    "/calendar.ics": "Calendar",
    "/sitemap.xml": "Sitemap",
  },
};

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "What the site is and where its data is, for language models",
};

/** What the site is and where its data is, for language models (llmstxt.org). */
export const handler: ReadHandlers = {
  GET: {
    read: (_input, { services: { config }, site: { url, variant }, routes }) => ({
      normalised: null,
      build() {
        const summaries = new Map(routes.map(({ path, summary }) => [path, summary]));
        const sections = Object.entries(SECTIONS).map(([heading, links]) => {
          const lines = Object.entries(links).filter(([path]) => summaries.has(path))
            .map(([path, name]) => `- [${name}](${url}${path}): ${summaries.get(path)}`);
          return `## ${heading}\n\n${lines.join("\n")}\n`;
        });
        const body = [
          `# ${escapeMarkdown(toLine(config.SITE_NAME))}\n`,
          "> A release roadmap: what is planned, what has shipped, and how its dates have moved.\n",
          `Planned dates are ${variant.datePrecision}s. The page of a release is ` +
          `\`${url}/release/<id>\`; add \`.md\` for Markdown with its history.\n`,
          ...sections,
        ].join("\n");
        return Promise.resolve({ contentType: "text/plain; charset=utf-8", body });
      },
    }),
  },
};
