import type { StatusTone } from "../roadmap/status_tone.ts";
import { shortenTo, textWidth } from "../text/text_width.ts";
import { type Xml, xml } from "../text/xml.ts";
import { language } from "../text/messages.ts";
import { FONT_FAMILY, WITHOUT_BLANKS } from "./fonts.ts";

/** The size that chats and social networks show uncut. */
export const PICTURE_SIZE = { width: 1200, height: 630 };

/** What stands in a picture. */
interface PictureTexts {
  name: string;
  product: string;
  status: string;
  tone: StatusTone;
  /** The dates, oldest first. */
  steps: readonly string[];
  /** The last step is no date but what became of the release, and has the colour of this tone. */
  outcome: "shipped" | "stopped" | null;
  /** How often its date has moved, in words. */
  moves: string;
  isLater: boolean;
  siteName: string;
  /** The site has a logo of its own, in place of ours. */
  hasLogo: boolean;
  accent: string;
}

/** Those of static/styles/tokens.css in the light theme. */
const COLOURS = {
  ground: "#fbfaf8",
  surface: "#ffffff",
  line: "#e3dfd7",
  ink: "#22211e",
  quiet: "#625e56",
  amber: "#7a4d05",
  warm: "#f4b860",
};
const TONES: Readonly<Record<StatusTone, { soft: string; ink: string }>> = {
  shipped: { soft: "#dff1e4", ink: "#1d6b3a" },
  planned: { soft: "#e0ebf8", ink: "#1f528f" },
  in_progress: { soft: "#fbecd0", ink: "#7a4d05" },
  stopped: { soft: "#fae3e1", ink: "#a02c2c" },
};

const LEFT = 72;
const INNER = PICTURE_SIZE.width - 2 * LEFT;
const CARD = { y: 412, height: 162, padding: 36 };
/** Bold letters are wider by so much. */
const BOLD = 1.08;

/** The picture as SVG. */
export function drawPicture(texts: PictureTexts): string {
  const { width, height } = PICTURE_SIZE;
  return xml`
    <svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
      viewBox="0 0 ${width} ${height}" font-family="${FONT_FAMILY}">
      <rect width="${width}" height="${height}" fill="${COLOURS.ground}" />
      <g${isMirrored() ? MIRRORED : null}>
      ${drawSite(texts)}
      ${drawFacts(texts)}
      ${drawName(texts.name)}
      <rect x="${LEFT}" y="${CARD.y}" width="${INNER}" height="${CARD
        .height}" rx="20" fill="${COLOURS.surface}" stroke="${COLOURS.line}" stroke-width="2"/>
      ${drawSteps(texts)}
      ${write(shortenTo(texts.moves, 28, INNER - 2 * CARD.padding), {
        x: LEFT + CARD.padding,
        y: CARD.y + 132,
        size: 28,
        fill: texts.isLater ? COLOURS.amber : COLOURS.quiet,
        isBold: texts.isLater,
      })}
      </g>
    </svg>
  `.text.trim();
}

interface Written {
  x: number;
  y: number;
  size: number;
  fill: string;
  isBold?: boolean;
  anchor?: "middle";
}

/** In a language that is read from the right, the drawing is mirrored, and each text in it once more. */
const MIRRORED = xml`
  transform="translate(${PICTURE_SIZE.width} 0) scale(-1 1)"
`;

function isMirrored(): boolean {
  return language().direction === "rtl";
}

function write(text: string, { x, y, size, fill, isBold, anchor }: Written): Xml {
  const mirrored = isMirrored();
  const back = mirrored
    ? xml`
      transform="translate(${2 * x} 0) scale(-1 1)"
    `
    : null;
  // The direction of the whole line (Unicode Annex 9).
  const line = mirrored ? `\u2067${text}\u2069` : text;
  return xml`
    <text x="${x}" y="${y}" font-size="${size}" font-weight="${isBold ? 700 : 400}" ${back}
      fill="${fill}" text-anchor="${anchor ?? (mirrored ? "end" : "start")}">${line}</text>
  `;
}

/** The name of the site, and our mark, as in static/favicon.svg, if it is its logo. */
function drawSite({ siteName, hasLogo, accent }: PictureTexts): Xml {
  const left = hasLogo ? 0 : 66;
  return xml`
    ${hasLogo ? null : drawMark(accent)}
    ${write(shortenTo(siteName, 30, INNER - left), {
      x: LEFT + left,
      y: 87,
      size: 30,
      fill: COLOURS.ink,
      isBold: true,
    })}
  `;
}

function drawMark(accent: string): Xml {
  return xml`
    <g transform="${isMirrored()
      ? `translate(${LEFT + 48} 52) scale(-1.5 1.5)`
      : `translate(${LEFT} 52) scale(1.5)`}">
      <rect width="32" height="32" rx="9" fill="${accent}" />
      <path d="M8 23c6 0 4-8 9-8s4-6 7-6" fill="none" stroke="#ffffff" stroke-width="3.5"
        stroke-linecap="round" />
      <circle cx="24" cy="9" r="3" fill="${COLOURS.warm}" />
    </g>
  `;
}

/** The status, and whose release it is. */
function drawFacts({ status, tone, product }: PictureTexts): Xml {
  const { soft, ink } = TONES[tone];
  const label = shortenTo(status, 26, 420);
  const width = textWidth(label, 26) * BOLD + 40;
  return xml`
    <rect x="${LEFT}" y="148" width="${width}" height="44" rx="22" fill="${soft}" />
    ${write(label, {
      x: LEFT + width / 2,
      y: 179,
      size: 26,
      fill: ink,
      isBold: true,
      anchor: "middle",
    })}
    ${write(shortenTo(product, 30, INNER - width - 24), {
      x: LEFT + width + 24,
      y: 180,
      size: 30,
      fill: COLOURS.quiet,
    })}
  `;
}

/** A short name in large letters, a long one in smaller ones and more lines. */
function drawName(name: string): Xml {
  const [large, small] = [{ size: 62, leading: 74, most: 2 }, { size: 48, leading: 56, most: 3 }];
  const lines = wrap(name, large.size);
  const { size, leading, most } = lines.length <= large.most ? large : small;
  const fitting = lines.length <= large.most ? lines : wrap(name, size);
  const shown = fitting.slice(0, most);
  if (fitting.length > most) {
    shown[most - 1] = shortenTo(`${shown[most - 1]} …`, size * BOLD, INNER);
  }
  return xml`${
    shown.map((line, place) =>
      write(line, {
        x: LEFT,
        y: 212 + size + place * leading,
        size,
        fill: COLOURS.ink,
        isBold: true,
      })
    )
  }`;
}

/** A word with the blank before it; where words have none between them, a letter with its punctuation. */
const WORDS = new RegExp(
  `\\s?(?:${WITHOUT_BLANKS.source}\\p{P}*|(?:(?!${WITHOUT_BLANKS.source})\\S)+)`,
  "gu",
);

/** The words of a text in lines; what is wider than a line stands alone and is shortened. */
function wrap(text: string, size: number): string[] {
  const lines: string[] = [];
  for (const word of text.match(WORDS) ?? []) {
    const longer = `${lines.at(-1) ?? ""}${word}`;
    if (lines.length > 0 && textWidth(longer, size * BOLD) <= INNER) {
      lines[lines.length - 1] = longer;
    } else lines.push(shortenTo(word.trimStart(), size * BOLD, INNER));
  }
  return lines;
}

const STEP = { size: 46, arrow: 76, y: CARD.y + 74 };

/** The dates in a row with arrows between them; where there are too many, the first and the last. */
function drawSteps({ steps, outcome }: PictureTexts): Xml {
  const last = steps.at(-1)!;
  const before = steps.slice(0, -1);
  const widthBefore = () =>
    before.reduce((sum, step) => sum + textWidth(step, STEP.size) + STEP.arrow, 0);
  const room = INNER - 2 * CARD.padding - textWidth(last, STEP.size) * BOLD;
  while (before.length > 2 && widthBefore() > room) {
    before.splice(1, before[1] === "…" ? 2 : 1, "…");
  }
  let x = LEFT + CARD.padding;
  const drawn = before.map((step) => {
    const start = x;
    x += textWidth(step, STEP.size) + STEP.arrow;
    return xml`
      ${write(step, { x: start, y: STEP.y, size: STEP.size, fill: COLOURS.quiet })}
      ${drawArrow(x - STEP.arrow + 14)}
    `;
  });
  const fill = outcome === null ? COLOURS.ink : TONES[outcome].ink;
  return xml`${drawn}${write(last, { x, y: STEP.y, size: STEP.size, fill, isBold: true })}`;
}

function drawArrow(x: number): Xml {
  const y = STEP.y - 16;
  return xml`
    <path d="M${x} ${y}h48m-14 -12l14 12l-14 12" fill="none" stroke="${COLOURS.quiet}"
      stroke-width="4" stroke-linecap="round" stroke-linejoin="round" />
  `;
}
