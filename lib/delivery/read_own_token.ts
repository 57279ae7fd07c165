import type { Database } from "../database/database.ts";
import type { Limits } from "../http/clients/limits.ts";
import { type LinkPurpose, readLinkTokenFor } from "./tokens.ts";

/** What opening a link takes. */
export interface LinkServices {
  readonly database: Database;
  readonly limits: Limits;
  readonly clock: () => Date;
  readonly tokenSecret: string;
}

/** Who opens a link. */
export interface Opening {
  /** The address of the client. */
  readonly address: string;
  readonly services: LinkServices;
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
