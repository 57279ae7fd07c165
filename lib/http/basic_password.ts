import { Problem } from "./problem.ts";
import { isSameSecret } from "./same_secret.ts";

/** RFC 7617, section 2. */
const CHALLENGE = { "WWW-Authenticate": 'Basic realm="roadcast", charset="UTF-8"' };

/**
 * Tells whether a request has the password, of whatever user, in constant time.
 *
 * @throws {Problem} 401 if it has none at all
 */
export function hasPassword({ headers }: Request, password: string): boolean {
  const sent = /^Basic +(\S+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1];
  if (sent === undefined) {
    throw new Problem(401, "Send the secret as the password of Basic authentication", {
      headers: CHALLENGE,
    });
  }
  const text = Buffer.from(sent, "base64").toString();
  return isSameSecret(text.slice(text.indexOf(":") + 1), password);
}

/** The response to a wrong password. */
export function wrongPassword(): Problem {
  return new Problem(401, "The password is wrong", { headers: CHALLENGE });
}
