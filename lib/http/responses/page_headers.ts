/**
 * What a page may load and do (Content Security Policy Level 3): everything from this server, no
 * inline script and no inline style, and no other site may frame it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

function withPolicy(...policy: readonly string[]) {
  return {
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  };
}

/** The headers of every HTML page, error pages included. */
export const PAGE_HEADERS = withPolicy(...POLICY);

/**
 * The headers of a page that pages of these origins may frame: it has links and nothing else that
 * reacts to a click, so a page around it gains nothing by hiding it.
 */
export function embedHeaders(origins: readonly string[]) {
  return withPolicy(
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${origins.join(" ")}`,
  );
}

/** The headers of a page with elements whose styles are in place (CSP Level 3, `style-src-attr`). */
export const COPY_HEADERS = withPolicy(...POLICY, "style-src-attr 'unsafe-inline'");

/**
 * The headers of an email that is shown as a page: it has its styles in place, and loads and runs
 * nothing else (CSP Level 3, `sandbox`). `framedBy` is a source of `frame-ancestors`.
 */
export function mailHeaders(framedBy: "'none'" | "'self'") {
  return withPolicy(
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${framedBy}`,
    "sandbox",
  );
}
