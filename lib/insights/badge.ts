import { shorten } from "../text/shorten.ts";
import { toLine } from "../text/to_line.ts";
import { formatXmlDocument, xml } from "../text/xml.ts";

const MAX_LABEL = 40;
/** In pixels, as the badges beside which it stands in a README. */
const HEIGHT = 20;
const PADDING = 6;
const NEUTRAL = "#555555";

/** The widths of characters in Verdana at 11 pixels, roughly. */
const WIDTHS: readonly [characters: RegExp, width: number][] = [
  [/^\p{M}$/u, 0],
  [
    /^[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]$/u,
    11.5,
  ],
  [/^[ijlI.,:;'’|! ]$/, 3.4],
  [/^[ftr()[\]“”"-]$/, 4.6],
  [/^[cksvxyzJ]$/, 6],
  [/^[mwMW@%&]$/, 10],
  [/^\p{Lu}$/u, 7.7],
];
const USUAL_WIDTH = 6.8;

/** What a badge counts: the promises that can be judged, and those that were kept. */
export interface BadgeCounts {
  due: number;
  in_time: number;
}

/** How many promises were kept, as a small SVG for a README. */
export function drawBadge(about: string, { due, in_time }: BadgeCounts, accent: string): string {
  const label = shorten(toLine(about), MAX_LABEL);
  const value = due === 0 ? "no figures yet" : `${in_time} of ${due} in time`;
  const left = widthOf(label) + 2 * PADDING;
  const right = widthOf(value) + 2 * PADDING;
  const title = `${label}: ${value}`;
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
      <g fill="#ffffff" font-family="Verdana,'DejaVu Sans',sans-serif" font-size="11">
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
  const widths = [...text].map((character) =>
    WIDTHS.find(([characters]) => characters.test(character))?.[1] ?? USUAL_WIDTH
  );
  return Math.ceil(widths.reduce((sum, width) => sum + width, 0));
}
