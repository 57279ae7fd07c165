/**
 * Whether an `If-None-Match` header names this entity tag, by weak comparison (RFC 9110,
 * sections 13.1.2 and 8.8.3.2).
 *
 * ```ts
 * if (!matchesEtag('"a", W/"b"', 'W/"a"')) throw new Error();
 * if (!matchesEtag("*", 'W/"a"')) throw new Error();
 * if (!matchesEtag('W/"a-gzip"', 'W/"a"')) throw new Error();
 * if (matchesEtag(null, 'W/"a"')) throw new Error();
 * ```
 */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === "*") return true;
  const tags = ifNoneMatch.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((tag) =>
    opaque(tag) === opaque(etag) || opaque(tag).replace(OF_TRANSPORT, '"') === opaque(etag)
  );
}

/** What servers in between add to a tag when they compress a response, such as Apache's mod_deflate. */
const OF_TRANSPORT = /(?:[-;]{1,2}(?:gzip|br|zstd|deflate))"$/;

function opaque(etag: string): string {
  return etag.replace(/^W\//, "");
}

/** The content codings of a cached response. */
export type Coding = "br" | "gzip";

/**
 * Chooses the available coding that the client prefers, the shorter one if it prefers none (RFC
 * 9110, section 12.5.3); null: uncompressed.
 *
 * ```ts
 * if (chooseCoding("gzip, deflate, br") !== "br") throw new Error();
 * if (chooseCoding("br;q=0.1, gzip") !== "gzip") throw new Error();
 * if (chooseCoding("identity, gzip;q=0") !== null) throw new Error();
 * ```
 */
export function chooseCoding(acceptEncoding: string | null): Coding | null {
  if (!acceptEncoding || acceptEncoding.length > MAX_LENGTH) return null;
  const weights = new Map(
    acceptEncoding.split(",").map((part) => {
      const [coding, ...parameters] = part.trim().toLowerCase().split(";");
      const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1])
        .find((value) => value !== undefined);
      return [coding!.trim(), q === undefined ? 1 : Number(q)] as const;
    }),
  );
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  const best = weightOf("br") >= weightOf("gzip") ? "br" : "gzip";
  const identity = weights.get("identity") ?? 0;
  return weightOf(best) > 0 && weightOf(best) >= identity ? best : null;
}

/** No real client sends so much; parsing a header with thousands of codings would delay others. */
const MAX_LENGTH = 1_000;
