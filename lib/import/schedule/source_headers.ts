import { z } from "zod";
import { SnapshotError } from "../snapshot_error.ts";
import { showLocation } from "../fetching/location.ts";

/** A name of a header (RFC 9110, section 5.1), and a value that `fetch` can send. */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const VALUE = /^[\t\x20-\x7e]{1,4000}$/;
const VARIABLE = /^env:(.*)$/s;
/** What a connection or a conditional request sets itself. */
const RESERVED = /^(?:host|connection|content-(?!type$).*|transfer-encoding|te|upgrade|if-.*)$/i;
/** Headers that are nothing but secrets. */
const SECRET = /^(?:authorization|proxy-authorization|cookie)$/i;

/** The headers of a source: a value, or `env:NAME` for that of an environment variable. */
export const HEADERS = z.record(z.string(), z.string("must be text"), "must be an object")
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const message = findMistake(name, value);
      if (message) context.addIssue({ code: "custom", path: [name], message });
    }
  });

function findMistake(name: string, value: string): string | null {
  if (!NAME.test(name)) return "is no name of a header";
  if (RESERVED.test(name)) return "cannot be set";
  const [, variable] = VARIABLE.exec(value) ?? [];
  if (variable !== undefined && !/^\w{1,100}$/.test(variable)) return "must be env:NAME";
  if (variable === undefined && SECRET.test(name)) return "must be env:NAME, as it holds a secret";
  return VALUE.test(value) ? null : "must be 1 to 4000 printable ASCII characters";
}

/** The environment variables that headers take their values from. */
export function listHeaderVariables(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.values(headers).flatMap((value) => VARIABLE.exec(value)?.[1] ?? []);
}

/**
 * The headers to send, with the values of environment variables.
 *
 * @throws {SnapshotError} that names the header and its variable, and never shows a value
 */
export function readHeaders(
  from: string,
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const [, variable] = VARIABLE.exec(value) ?? [];
      if (variable === undefined) return [name, value];
      const secret = Deno.env.get(variable)?.trim();
      if (secret && VALUE.test(secret)) return [name, secret];
      const reason = secret
        ? "has characters that a header cannot have"
        : "is not set: set it, and restart";
      throw new SnapshotError(
        `Cannot read ${showLocation(from)}: ${variable}, for its header ${name}, ${reason}`,
      );
    }),
  );
}
