import { readCodePoints } from "./code_points.ts";

/** The font of the pictures: Latin, Greek, Cyrillic and Hebrew, with the measures of Helvetica. */
export const FONT_FAMILY = "Arimo";

/** Regular and bold, which have the same characters. */
export const FONT_FILES = ["400Regular/Arimo_400Regular", "700Bold/Arimo_700Bold"].map((name) =>
  new URL(import.meta.resolve(`@expo-google-fonts/arimo/${name}.ttf`))
);

let points: Set<number> | undefined;

function isInFont(character: string): boolean {
  points ??= readCodePoints(Deno.readFileSync(FONT_FILES[0]!));
  return points.has(character.codePointAt(0)!);
}

const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
/** What joins and changes emoji, and cannot be seen. */
const EMOJI_JOINTS = /[\u200d\u20e3\ufe0f]/g;

/**
 * A text without its emoji, as the font can draw it; null if it has other characters that the font
 * lacks, which would come out as boxes.
 *
 * ```ts
 * if (toDrawable("Ship 🚀 Žluťoučký ключ ✔️") !== "Ship Žluťoučký ключ") throw new Error();
 * if (toDrawable("新しい機能") !== null || toDrawable("🚀") !== null) throw new Error();
 * ```
 */
export function toDrawable(text: string): string | null {
  const kept = [...text.normalize("NFC").replace(EMOJI_JOINTS, "")]
    .filter((character) => isInFont(character) || !EMOJI.test(character))
    .join("").replace(/ +/g, " ").trim();
  return kept !== "" && [...kept].every(isInFont) ? kept : null;
}
