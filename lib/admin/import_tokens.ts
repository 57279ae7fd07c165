import { createHash, randomBytes } from "node:crypto";
import type { Connection } from "../database/database.ts";
import { FieldError } from "../expected_error.ts";
import { SOURCE_NAME_PATTERN } from "../import/import_options.ts";
import { isoDate } from "../text/dates.ts";
import { type ImportToken, storeImportToken, useToken } from "./import_tokens_sql.ts";

/** The beginning of every token, by which scanners for leaked secrets recognise one. */
const PREFIX = "roadcast_import_";
/** Names stand in the audit log and on terminals. */
const NAME = /^[^\p{C}]{1,60}$/u;
const MAX_SOURCES = 100;

/**
 * Adds a token that may import these sources, and returns its text, of which only a hash is stored.
 *
 * @throws {FieldError} that names what is wrong
 */
export async function addImportToken(
  connection: Connection,
  { name, sources, now }: { name: string; sources: readonly string[]; now: Date },
): Promise<string> {
  if (!NAME.test(name)) {
    throw new FieldError({
      name: "The name must have 1 to 60 characters without control characters",
    });
  }
  const named = [...new Set(sources)];
  if (named.length === 0) {
    throw new FieldError({ sources: "Name the sources that the token may import" });
  }
  if (named.length > MAX_SOURCES) {
    throw new FieldError({ sources: `A token may import at most ${MAX_SOURCES} sources` });
  }
  if (!named.every((source) => SOURCE_NAME_PATTERN.test(source))) {
    throw new FieldError({ sources: "The name of a source must have 1 to 100 characters" });
  }
  const text = PREFIX + randomBytes(32).toString("base64url");
  const token = { name, hash: hashOf(text), sources: named, now };
  if (!await storeImportToken(connection, token)) {
    throw new FieldError({ name: `There is a token ${JSON.stringify(name)} already` });
  }
  return text;
}

/** Whether a text may be such a token, rather than ADMIN_TOKEN. */
export function isImportToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The token of a request, whose use is noted; null: there is no such token. */
export function useImportToken(
  connection: Connection,
  text: string,
  now: Date,
): Promise<ImportToken | null> {
  return useToken(connection, hashOf(text), isoDate(now));
}

/** It is random and long, so a plain hash cannot be reversed. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
