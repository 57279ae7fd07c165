import type { Database } from "../../database/database.ts";
import type { Limits } from "../../http/limits.ts";
import type { Digest } from "./digest.ts";
import { readDigest } from "./digests_sql.ts";
import { readOwnToken } from "../read_own_token.ts";

/** How long a digest can be read as a page. */
export const DIGEST_DAYS = 30;

/** Finds the digest whose page a token opens. Null: there is none, or its time is over. */
export async function openDigest(
  token: string,
  { address, services }: {
    /** Of the client. */
    address: string;
    services: {
      readonly database: Database;
      readonly limits: Limits;
      readonly clock: () => Date;
      readonly tokenSecret: string;
    };
  },
): Promise<Digest | null> {
  const id = await readOwnToken("digest", token, { address, services });
  if (id === null) return null;
  const since = new Date(services.clock().getTime() - DIGEST_DAYS * 24 * 60 * 60 * 1000);
  return await readDigest(services.database, id, { since });
}
