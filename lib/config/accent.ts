/** The accent colour in both themes, as `#rrggbb`. */
export interface Accent {
  readonly light: string;
  readonly dark: string;
}

type Theme = keyof Accent;

/** That of static/styles/tokens.css. */
export const OWN_ACCENT: Accent = { light: "#0f5c5c", dark: "#7fcfc6" };

/** The background of static/styles/tokens.css that has the least contrast to an accent, and where to move. */
export const GROUNDS: Readonly<Record<Theme, { ground: string; away: string }>> = {
  light: { ground: "#fbfaf8", away: "#000000" },
  dark: { ground: "#1d2021", away: "#ffffff" },
};
const SURFACES: Accent = { light: "#ffffff", dark: "#1d2021" };

/** The accent is the colour of links (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;
/** What it is lightened to for the dark theme, so that it does not look dull there. */
const DERIVED_CONTRAST = 6;

/** Why text in this colour cannot be read in the light theme, and the nearest shade that can; null: it can. */
export function findLowContrast(colour: string): string | null {
  const { ground } = GROUNDS.light;
  const contrast = contrastOf(colour, ground);
  if (contrast >= MIN_CONTRAST) return null;
  // Rounded down, so that 4.46 is not called 4.5.
  const ratio = Math.floor(contrast * 10) / 10;
  return `${colour} has a contrast of ${ratio}:1 to the light background ${ground}, and text ` +
    `needs ${MIN_CONTRAST}:1; ${moveUntil(colour, "light", MIN_CONTRAST)} has enough`;
}

/** The colour for the dark theme, made of that for the light one. */
export function deriveDarkAccent(light: string): string {
  return moveUntil(light, "dark", DERIVED_CONTRAST);
}

/** The nearest shade away from the background that has a contrast. */
function moveUntil(colour: string, theme: Theme, contrast: number): string {
  const { ground, away } = GROUNDS[theme];
  const shades = Array.from({ length: 101 }, (_, i) => mixColours(colour, away, i / 100));
  return shades.find((shade) => contrastOf(shade, ground) >= contrast) ?? away;
}

/** The custom properties of static/styles/tokens.css that depend on the accent. */
export function styleOfAccent({ light, dark }: Accent): string {
  const both = (name: string, inLight: string, inDark: string) =>
    `  --${name}: light-dark(${inLight}, ${inDark});\n`;
  return "\n/* The accent of the settings. */\n:root {\n" +
    `  --brand: ${light};\n` +
    both("accent", light, dark) +
    both("accent-strong", mixColours(light, "#000000", 0.3), mixColours(dark, "#ffffff", 0.3)) +
    both("on-accent", "#ffffff", mixColours(dark, "#000000", 0.85)) +
    both("accent-soft", softenAccent(light, "light"), softenAccent(dark, "dark")) +
    "}\n";
}

/** The background of chosen things: as much of the accent as text in the accent allows. */
function softenAccent(colour: string, theme: Theme): string {
  const shades = [0.2, 0.16, 0.12, 0.09, 0.06, 0.03, 0.01]
    .map((share) => mixColours(SURFACES[theme], colour, share));
  return shades.find((shade) => contrastOf(shade, colour) >= MIN_CONTRAST) ?? SURFACES[theme];
}

/** A colour of sRGB, each part from 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

function parseColour(text: string): Rgb {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return [red!, green!, blue!];
}

/** Writes `#rrggbb`. */
export function formatColour(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** One colour with a share (0 to 1) of another in it. */
function mixColours(colour: string, other: string, share: number): string {
  const [one, two] = [parseColour(colour), parseColour(other)];
  const mix = (part: 0 | 1 | 2) => one[part] + (two[part] - one[part]) * share;
  return formatColour([mix(0), mix(1), mix(2)]);
}

/**
 * The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio").
 *
 * ```ts
 * if (contrastOf("#000000", "#ffffff") !== 21) throw new Error();
 * ```
 */
export function contrastOf(colour: string, other: string): number {
  const [dark, light] = [luminanceOf(colour), luminanceOf(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(colour: string): number {
  const [red, green, blue] = parseColour(colour).map((part) => part / 255).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
