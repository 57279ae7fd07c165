/** The addresses beside a page; null where there is no page. */
export interface PageLinks {
  next: string | null;
  prev: string | null;
}

/** The addresses of the pages beside one. */
export function linkBeside(
  { next_page, prev_page }: { next_page: number | null; prev_page: number | null },
  addressOf: (page: number) => string,
): PageLinks {
  const linkTo = (page: number | null) => page === null ? null : addressOf(page);
  return { next: linkTo(next_page), prev: linkTo(prev_page) };
}

/**
 * The Link header of a page (RFC 8288); no header where it stands alone.
 *
 * ```ts
 * const { Link } = linkHeader({ next: "/a?page=2", prev: null });
 * if (Link !== '</a?page=2>; rel="next"') throw new Error(Link);
 * if ("Link" in linkHeader({ next: null, prev: null })) throw new Error();
 * ```
 */
export function linkHeader(links: PageLinks): { Link?: string } {
  const link = (["next", "prev"] as const)
    .filter((rel) => links[rel] !== null)
    .map((rel) => `<${links[rel]}>; rel="${rel}"`).join(", ");
  return link ? { Link: link } : {};
}

/**
 * The query of an address with its question mark; empty where there is no parameter.
 *
 * ```ts
 * const query = formatPairs([["product_name", "R&D"], ["page", "2"]]);
 * if (query !== "?product_name=R%26D&page=2") throw new Error(query);
 * if (formatPairs([]) !== "") throw new Error();
 * ```
 */
export function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  const parts = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}
