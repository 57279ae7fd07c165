/** The font of the pictures: Latin, Greek, Cyrillic and Hebrew, with the measures of Helvetica. */
export const FONT_FAMILY = "Arimo";

/** Letters of Chinese and Japanese, between which a line may end. */
export const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;

/** The fonts, each with the scripts that it is for; of the others no file is read. */
const FONTS = [
  {
    files: ["arimo/400Regular/Arimo_400Regular", "arimo/700Bold/Arimo_700Bold"],
    scripts: /[^]/u,
  },
  {
    files: ["noto-sans-arabic/400Regular/NotoSansArabic_400Regular"],
    scripts: /\p{Script_Extensions=Arabic}/u,
  },
  {
    files: ["sawarabi-gothic/400Regular/SawarabiGothic_400Regular"],
    scripts: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u30ff\uff00-\uffef]/u,
  },
].map(({ files, scripts }) => ({ files: files.map(locate), scripts }));

function locate(name: string): URL {
  return new URL(import.meta.resolve(`@expo-google-fonts/${name}.ttf`));
}

/** The files of the fonts that a text needs. */
export function fontFilesFor(text: string): URL[] {
  return FONTS.filter(({ scripts }) => scripts.test(text)).flatMap(({ files }) => files);
}

const points = new Map<string, Set<number>>();

/** Regular and bold have the same characters. */
function isInFont(character: string): boolean {
  return fontFilesFor(character).some((file) => {
    if (!points.has(file.href)) points.set(file.href, readCodePoints(Deno.readFileSync(file)));
    return points.get(file.href)!.has(character.codePointAt(0)!);
  });
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
 * if (toDrawable("새로운 기능") !== null || toDrawable("🚀") !== null) throw new Error();
 * ```
 */
export function toDrawable(text: string): string | null {
  const kept = [...text.normalize("NFC").replace(EMOJI_JOINTS, "")]
    .filter((character) => !EMOJI.test(character) || isInFont(character))
    .join("").replace(/ +/g, " ").trim();
  // Marks of direction cannot be seen.
  const isDrawn = (character: string) => /\p{Bidi_Control}/u.test(character) || isInFont(character);
  return kept !== "" && [...kept].every(isDrawn) ? kept : null;
}

/** The code points that a TrueType font has a glyph for (OpenType 1.9, "cmap", format 4). */
function readCodePoints(font: Uint8Array): Set<number> {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const table = findSubtable(view);
  const segments = view.getUint16(table + 6) / 2;
  const ends = table + 14;
  const starts = ends + 2 * segments + 2;
  const deltas = starts + 2 * segments;
  const offsets = deltas + 2 * segments;
  const points = new Set<number>();
  for (let at = 0; at < 2 * segments; at += 2) {
    const first = view.getUint16(starts + at);
    const delta = view.getUint16(deltas + at);
    const offset = view.getUint16(offsets + at);
    for (let point = first; point <= view.getUint16(ends + at); point++) {
      const place = offsets + at + offset + 2 * (point - first);
      const glyph = offset === 0 ? (point + delta) & 0xffff : view.getUint16(place);
      if (glyph !== 0) points.add(point);
    }
  }
  return points;
}

/** Where its Unicode characters are: platform 3, Windows. */
function findSubtable(view: DataView): number {
  const places = (start: number, count: number, size: number) =>
    Array.from({ length: count }, (_, place) => start + place * size);
  const table = places(12, view.getUint16(4), 16)
    .find((record) => view.getUint32(record) === CMAP)!;
  const cmap = view.getUint32(table + 8);
  const unicode = places(cmap + 4, view.getUint16(cmap + 2), 8)
    .find((record) => view.getUint16(record) === 3)!;
  return cmap + view.getUint32(unicode + 4);
}

/** The name of the table, as a number. */
const CMAP = 0x636d6170;
