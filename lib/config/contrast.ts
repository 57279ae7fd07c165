/** A colour of sRGB, each part from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Reads `#rrggbb`. */
function parseColour(text: string): Rgb {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return [red!, green!, blue!];
}

/** Writes `#rrggbb`. */
export function formatColour(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** One colour with a share (0 to 1) of another in it. */
export function mixColours(colour: string, other: string, share: number): string {
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
