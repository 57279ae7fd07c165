import { decodeHTMLStrict } from "entities";

/**
 * Decodes the entities of HTML that sources put into texts, once: those with a name, and numbers of
 * printable characters. A blank that does not break becomes one that does.
 *
 * ```ts
 * const text = decodeEntities("caf&eacute; &ndash; R&amp;D &#8230; &unknown;");
 * if (text !== "café – R&D … &unknown;") throw new Error(text);
 * ```
 */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:[a-z][a-z0-9]{1,31}|#(\d{2,7})|#x([0-9a-f]{2,6}));/gi,
    (entity, decimal?: string, hex?: string) => {
      if (entity === "&nbsp;") return " ";
      if (entity[1] !== "#") return decodeHTMLStrict(entity);
      return decodeNumber(decimal ? Number(decimal) : parseInt(hex!, 16)) ?? entity;
    },
  );
}

/** Null for a number that is not that of a printable character. */
function decodeNumber(code: number): string | null {
  if (code > 0x10ffff) return null;
  const character = String.fromCodePoint(code);
  return /[\p{Cc}\p{Cs}]/u.test(character) ? null : character;
}
