import { z } from "zod";
import { OWN_ACCENT } from "../lib/config/accent.ts";
import { countInTime, INSIGHTS_QUERY } from "../lib/insights/read_insights.ts";
import { parseFilter } from "../lib/roadmap/filter/filter.ts";
import { toFilterValues } from "../lib/roadmap/filter/filter_values.ts";
import { describeFilter } from "../lib/roadmap/filter/filter_words.ts";
import { shorten, toLine } from "../lib/text/phrases.ts";
import { textWidth } from "../lib/text/text_width.ts";
import { formatXmlDocument, xml } from "../lib/text/xml.ts";
import { SVG_POLICY } from "./assets/[name].ts";
import { type ReadConfig, type ReadHandlers, today } from "./route.ts";
import { say } from "../lib/text/messages.ts";

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "How many promises were kept, as a badge for a README",
};

export const handler: ReadHandlers = {
  GET: {
    describe: () => ({
      tag: "Changes",
      details: "The text is `in_time` of `due` as `/api/insights` has them for the same filter.",
      query: INSIGHTS_QUERY,
      answers: {
        200: {
          description: "The badge, 20 pixels high",
          contentType: "image/svg+xml",
          schema: z.string(),
        },
      },
    }),
    read({ query }, { services, site: { variant } }) {
      const parsed = parseFilter(INSIGHTS_QUERY, query, variant);
      return {
        normalised: parsed,
        async build() {
          const { config: { SITE_NAME: siteName, accent } } = services;
          const counts = await countInTime(parsed, { ...services, today: today(services) });
          const about = describeFilter(toFilterValues({ ...parsed, include_inactive: false }));
          return {
            contentType: "image/svg+xml; charset=utf-8",
            body: drawBadge(about || siteName, counts, (accent ?? OWN_ACCENT).light),
            headers: { "Content-Security-Policy": SVG_POLICY },
          };
        },
      };
    },
  },
};

const MAX_LABEL = 40;
/** In pixels, as the badges beside which it stands in a README. */
const HEIGHT = 20;
const PADDING = 6;
const NEUTRAL = "#555555";

/** Verdana is wider than the fonts that `textWidth` measures. */
const FONT_SIZE = 11;
const MEASURED_SIZE = FONT_SIZE * 1.13;

/** What a badge counts: the promises that can be judged, and those that were kept. */
interface BadgeCounts {
  due: number;
  in_time: number;
}

/** How many promises were kept, as a small SVG for a README. */
function drawBadge(about: string, { due, in_time }: BadgeCounts, accent: string): string {
  const label = shorten(toLine(about), MAX_LABEL);
  const value = due === 0 ? say("badge.none") : say("insights.on_time", { kept: in_time, due });
  const left = widthOf(label) + 2 * PADDING;
  const right = widthOf(value) + 2 * PADDING;
  const title = say("list.titled", { title: label, text: value });
  return formatXmlDocument(xml`
    <svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}"
      viewBox="0 0 ${left + right} ${HEIGHT}" role="img" aria-label="${title}">
      <title>${title}</title>
      <clipPath id="corners">
        <rect width="${left + right}" height="${HEIGHT}" rx="3" />
      </clipPath>
      <g clip-path="url(#corners)">
        <rect width="${left}" height="${HEIGHT}" fill="${NEUTRAL}" />
        <rect x="${left}" width="${right}" height="${HEIGHT}" fill="${due === 0
          ? "#6e7781"
          : accent}" />
      </g>
      <g fill="#ffffff" font-family="Verdana,'DejaVu Sans',sans-serif" font-size="${FONT_SIZE}">
        ${writeText(label, PADDING)}
        ${writeText(value, left + PADDING)}
      </g>
    </svg>
  `);
}

/** Whatever font is there, the text has the width that was left for it. */
function writeText(text: string, x: number) {
  return xml`<text x="${x}" y="14" textLength="${widthOf(text)}">${text}</text>`;
}

function widthOf(text: string): number {
  return Math.ceil(textWidth(text, MEASURED_SIZE));
}
