/** The most origins; all of them stand in a header, for which proxies have a few KB. */
const MAX_ORIGINS = 20;

/**
 * Reads origins of the web that are separated by spaces; null: one is invalid, or has a wildcard.
 *
 * ```ts
 * const origins = parseOrigins("https://Example.com http://localhost:3000/")!;
 * if (origins.join() !== "https://example.com,http://localhost:3000") throw new Error();
 * if (parseOrigins("https://*.example.com") ?? parseOrigins("https://a.example/path")) throw new Error();
 * ```
 */
export function parseOrigins(text: string): string[] | null {
  const origins = new Set(text.trim().split(/\s+/).map(parseOrigin));
  return origins.has(null) || origins.size > MAX_ORIGINS ? null : [...origins] as string[];
}

/** Only what `host-source` of CSP Level 3 takes without a wildcard: no IPv6 address. */
function parseOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { origin, href } = new URL(text);
  return href === `${origin}/` && /^https?:\/\/[a-z\d.-]+(:\d+)?$/.test(origin) ? origin : null;
}
