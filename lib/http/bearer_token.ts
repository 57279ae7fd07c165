import { Problem } from "./problem.ts";
import { isSameSecret } from "./same_secret.ts";

/** The challenge if the token is missing or wrong (RFC 6750, section 3). */
const CHALLENGE = 'Bearer realm="roadcast"';

/**
 * Tells whether a request has the token, in constant time.
 *
 * @throws {Problem} 401 if it has no token at all
 */
export function hasToken({ headers }: Request, token: string): boolean {
  const sent = /^Bearer +([^\s]+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1];
  if (sent === undefined) {
    throw new Problem(401, "Send the token as Authorization: Bearer TOKEN", {
      headers: { "WWW-Authenticate": CHALLENGE },
    });
  }
  return isSameSecret(sent, token);
}

/** The response to a wrong token. */
export function wrongToken(): Problem {
  return new Problem(401, "The token is wrong", {
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` },
  });
}
