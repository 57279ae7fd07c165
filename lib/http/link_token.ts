import { readForm } from "./body.ts";
import { Problem } from "./problem.ts";
import type { Target } from "./target.ts";

/** The headers of responses that contain a token or were requested with one. */
export const PRIVATE_HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
} as const;

/** The token in the address of a link; null if there is none. */
export function readLinkToken({ query }: Target): string | null {
  return new URLSearchParams(query).get("token") || null;
}

/**
 * Rejects browsers and mail programs that prefetch a link: it would act, or be shown later as if it
 * had acted.
 *
 * @throws {Problem} 503, which makes a browser repeat the request when the page is needed
 */
export function refusePrefetch({ headers }: Request): void {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"]
    .map((name) => headers.get(name) ?? "").join(" ");
  if (!/\b(prefetch|prerender|preview)\b/i.test(purposes)) return;
  throw new Problem(503, "This link acts when it is opened, so it must not be prefetched", {
    headers: PRIVATE_HEADERS,
  });
}

/** The token of a POST: in its address (RFC 8058), or a field of the form. */
export async function readPostedToken(request: Request, target: Target): Promise<string | null> {
  return readLinkToken(target) ?? ((await readForm(request)).get("token") || null);
}
