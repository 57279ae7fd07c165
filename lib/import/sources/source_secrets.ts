import { z } from "zod";
import { AccessTokens } from "../../http/outgoing/access_tokens.ts";
import { resolveByMachine } from "../../http/outgoing/checked_addresses.ts";
import { mapTexts } from "../../text/values.ts";
import { findPublicAddresses } from "../fetching/fetch_following.ts";
import type { ImportOptions } from "../import_options.ts";
import { SnapshotError } from "../snapshot_error.ts";
import type { JsonApi } from "../kinds/json_api.ts";
import { PARAMETER, showLocation } from "../fetching/location.ts";

/** A name of a header (RFC 9110, section 5.1). */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** A value that `fetch` can send. */
export const VALUE = /^[\t\x20-\x7e]{1,4000}$/;
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
  if (!NAME.test(name)) return "is not the name of a header";
  if (RESERVED.test(name)) return "cannot be set";
  const [, variable] = VARIABLE.exec(value) ?? [];
  if (variable !== undefined && !/^\w{1,100}$/.test(variable)) return "must be env:NAME";
  if (variable === undefined && SECRET.test(name)) return "must be env:NAME, as it holds a secret";
  return VALUE.test(value) ? null : "must be 1 to 4000 printable ASCII characters";
}

/** A source as its entry says how to ask it: values may be `env:NAME`. */
interface AskedSource {
  readonly from: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly api?: JsonApi;
  readonly auth?: ClientCredentialsEntry;
  /** What stands for `env:NAME`; absent: the variables of the environment. */
  readonly secrets?: Readonly<Record<string, string>>;
}

function variableIn(value: unknown): string | null {
  return typeof value === "string" ? VARIABLE.exec(value)?.[1] ?? null : null;
}

/** The environment variables that a source takes values from. */
export function listVariables(
  { from, headers, api, auth, body = api?.body }: {
    readonly from: string;
    readonly api?: JsonApi;
  } & Readonly<Partial<Record<"headers" | "auth" | "body", unknown>>>,
): string[] {
  const values = [...from.match(PARAMETER) ?? [], ...[headers, body, auth].flatMap(textsIn)];
  return values.flatMap((value) => variableIn(value) ?? []);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The tokens of a source, kept from import to import while its entry stays the same. */
const TOKENS = new WeakMap<ClientCredentialsEntry, AccessTokens>();

/**
 * What a source is asked with: its headers and body with the values of environment variables, and
 * an access token.
 *
 * @throws {SnapshotError} that names what lacks which variable, and never shows a value
 * @throws {AccessTokenError} if there is no access token
 */
export async function fillSecrets(
  { from, headers = {}, api, auth, secrets: given }: AskedSource,
  { allowsPrivate }: { allowsPrivate: boolean } = { allowsPrivate: true },
): Promise<Pick<ImportOptions, "headers" | "api" | "secrets" | "parameters">> {
  const secrets: string[] = [];
  const fill = (value: string, use: string): string => {
    const variable = variableIn(value);
    if (variable === null) return value;
    const secret = (given ? given[variable] : Deno.env.get(variable))?.trim();
    if (secret && VALUE.test(secret)) {
      secrets.push(secret);
      return secret;
    }
    const reason = secret
      ? "has characters that cannot be sent"
      : given
      ? "is not stored, or was entered for another server: enter it again at /admin/sources"
      : "is not set: set it, and restart";
    throw new SnapshotError(
      `Cannot read ${showLocation(from)}: ${variable}, for ${use}, ${reason}`,
    );
  };
  const filled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fill(value, `its header ${name}`)]),
  );
  const parameters = Object.fromEntries(
    (from.match(PARAMETER) ?? []).map((value) => [value, fill(value, "its address")]),
  );
  // A body of text is sent as it is written.
  const body = typeof api?.body === "string"
    ? api.body
    : mapTexts(api?.body, (text) => fill(text, "its body"));
  if (auth) {
    const { token_url, client_id, client_secret, scope = null } = auth.client_credentials;
    if (!TOKENS.has(auth)) {
      const clientId = fill(client_id, "its auth");
      const clientSecret = fill(client_secret, "its auth");
      const client = { tokenUrl: token_url, clientId, clientSecret, scope };
      const findAddresses = (url: URL) => findPublicAddresses(url, resolveByMachine);
      TOKENS.set(auth, new AccessTokens({ ...client, ...!allowsPrivate && { findAddresses } }));
    }
    const token = await TOKENS.get(auth)!.get();
    secrets.push(token);
    filled.Authorization = `Bearer ${token}`;
  }
  return { headers: filled, parameters, secrets, ...api && { api: { ...api, body } } };
}

/** How a source is signed in to. */
export type ClientCredentialsEntry = z.output<typeof AUTH>;

const SECRET_TEXT = z.string("must be env:NAME, as it holds a secret")
  .regex(/^env:\w{1,100}$/, "must be env:NAME, as it holds a secret");

/** The key `auth` of a source: client credentials (RFC 6749, section 4.4). */
export const AUTH = z.strictObject({
  client_credentials: z.strictObject({
    token_url: z.string("must be an https address").refine(
      (text) =>
        /^https:|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/.test(text) && URL.canParse(text),
      "must be an https address",
    ).describe("Address of the token server"),
    client_id: z.string("must be text").trim().min(1, "must not be empty")
      .describe("Id of the client, or env:NAME"),
    client_secret: SECRET_TEXT.describe("Secret of the client, as env:NAME"),
    scope: z.string("must be text").trim().min(1, "must not be empty").optional()
      .describe("Scopes, separated by spaces"),
  }, "must be an object with token_url, client_id and client_secret"),
}, 'must be an object such as {"client_credentials": {…}}');
