import { language } from "./say.ts";

/**
 * The `lang` of a text in another language than the page; none for one in the same.
 *
 * ```ts
 * import "./messages.ts";
 * if (foreign("de").lang !== "de" || "lang" in foreign("en-US") || "lang" in foreign(null)) throw 0;
 * ```
 */
export function foreign(tag: string | null | undefined): { lang?: string } {
  const { tag: own } = language();
  const isOwn = !tag || tag.toLowerCase() === own.toLowerCase() ||
    tag.toLowerCase().startsWith(`${own.toLowerCase()}-`);
  return isOwn ? {} : { lang: tag };
}

/**
 * A tag of a language as BCP 47 writes it; null for what is none.
 *
 * ```ts
 * if (parseLanguage(" pt-br ") !== "pt-BR" || parseLanguage("klingon!") !== null) throw new Error();
 * ```
 */
export function parseLanguage(text: string): string | null {
  const tag = text.trim();
  try {
    const [canonical = null] = tag.length > 35 ? [] : Intl.getCanonicalLocales(tag);
    // Two letters and three have a registry, of which `Intl` knows the names.
    const name = canonical && NAMES.of(canonical);
    return name ? canonical : null;
  } catch {
    return null;
  }
}

const NAMES = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
