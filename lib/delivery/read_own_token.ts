import type { Limits } from "../http/limits.ts";
import { type LinkPurpose, readLinkTokenFor } from "./tokens.ts";

/** Who opens a link, and what tells a token that we made. */
interface Opening {
  /** The address of the client. */
  readonly address: string;
  readonly services: { readonly limits: Limits; readonly tokenSecret: string };
}

/**
 * Reads the id that a token was made for. Null: we did not make it, which counts as a wrong one; a
 * token that we made is read whatever others of the same network have sent.
 *
 * @throws {Problem} 429 where the client sent too many wrong ones
 */
export async function readOwnToken(
  purpose: LinkPurpose,
  token: string,
  { address, services: { limits, tokenSecret } }: Opening,
): Promise<string | null> {
  const id = readLinkTokenFor(purpose, token, tokenSecret);
  if (id === null) await limits.countWrongToken(address);
  return id;
}
