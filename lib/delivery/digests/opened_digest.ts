import type { Digest } from "./digest.ts";
import { readDigest } from "./digests_sql.ts";
import { type Opening, readOwnToken } from "../subscriptions/opened_link.ts";

/** How long a digest can be read as a page. */
export const DIGEST_DAYS = 30;

/** Finds the digest whose page a token opens. Null: there is none, or its time is over. */
export async function openDigest(
  token: string,
  opening: Opening,
): Promise<Digest | null> {
  const id = await readOwnToken("digest", token, opening);
  if (id === null) return null;
  const { database, clock } = opening.services;
  const since = new Date(clock().getTime() - DIGEST_DAYS * 24 * 60 * 60 * 1000);
  return await readDigest(database, id, { since });
}
