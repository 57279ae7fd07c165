/** A shorter secret protects nothing, and its letters stand in other words. */
const SHORTEST = 4;

/**
 * A text of somebody else without secrets, which programs like to repeat in their errors: as they
 * were sent, percent-encoded, in base64 and in JSON.
 *
 * ```ts
 * const secret = 's3cret/of+a="source"';
 * const texts = [secret, encodeURIComponent(secret), btoa(secret), JSON.stringify(secret)];
 * const shown = texts.map((text) => withoutSecrets(`no access: ${text}!`, [secret]));
 * if (!shown.every((text) => /^no access: "?…"?!$/.test(text))) throw new Error(shown.join());
 * ```
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const spellings = secrets.filter(({ length }) => length >= SHORTEST).flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    new TextEncoder().encode(secret).toBase64(),
    JSON.stringify(secret).slice(1, -1),
  ]);
  if (spellings.length === 0) return text;
  // The longest first; the digits of escapes are written in either case, and hosts in lower case.
  const longest = [...new Set(spellings)].sort((one, other) => other.length - one.length);
  return text.replace(new RegExp(longest.map(RegExp.escape).join("|"), "gi"), "…");
}

/** Words in the names of parameters and headers whose values are secret. */
export const SECRET_NAME =
  /key|token|secret|sig|code|pass|pwd|^pw$|auth|sas|jwt|^sid$|session|cred|bearer|hash|cookie/i;
/** What every request has, and how a server is signed in to. */
const NO_SECRET = /^(?:accept|content-type|user-agent)$/i;
const SCHEME = /^(?:basic|bearer|token|digest|apikey)$/i;

/** Whether a header may hold a secret. */
export function isSecretHeader(name: string): boolean {
  return !NO_SECRET.test(name);
}

/** What the request for an address has that no message may repeat. */
export function secretsIn(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): string[] {
  const given = Object.entries(headers).filter(([name]) => isSecretHeader(name))
    .flatMap(([, value]) => [value, ...value.split(/\s+/), ...loginIn(value)]);
  const url = URL.parse(address);
  const values = [...url?.searchParams ?? []].filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value);
  const { login } = splitLogin(address);
  const ofLogin = login === null ? [] : loginIn(basicAuthorization(login));
  const found = [...given, ...values, ...ofLogin].filter((text) => !SCHEME.test(text));
  return [...new Set(found)];
}

/** The header for Basic authentication (RFC 7617) with `user:password`. */
export function basicAuthorization(login: string): string {
  return `Basic ${new TextEncoder().encode(login).toBase64()}`;
}

/** What a header for Basic authentication (RFC 7617) says: as it is sent, the user and the password. */
function loginIn(header: string): string[] {
  const [, encoded] = /^basic\s+([\w+/]+={0,2})$/i.exec(header) ?? [];
  if (encoded === undefined) return [];
  try {
    const [, user, password] = /^([^:]*):(.*)$/s.exec(
      new TextDecoder().decode(Uint8Array.fromBase64(encoded)),
    ) ?? [];
    return [encoded, user ?? "", password ?? ""];
  } catch {
    return [];
  }
}

/**
 * What of the parameters of an address may be secret: their values, and the name of one without a
 * value.
 *
 * ```ts
 * const found = secretParameters(new URLSearchParams("chat_id=-1001234&s3cret"));
 * if (found.join() !== "-1001234,s3cret") throw new Error(found.join());
 * ```
 */
export function secretParameters(parameters: URLSearchParams): string[] {
  return [...parameters].map(([name, value]) => value || name);
}

/**
 * An address without a name and a password, and what it had of them.
 *
 * ```ts
 * const { address, login } = splitLogin("https://me:p%40ss@example.com/items");
 * if (`${login} ${address}` !== "me:p@ss https://example.com/items") throw new Error();
 * if (splitLogin("items.csv").login !== null) throw new Error();
 * ```
 */
export function splitLogin(address: string): { address: string; login: string | null } {
  const url = URL.parse(address);
  if (url === null || url.username === "" && url.password === "") return { address, login: null };
  const login = [url.username, url.password].map(decode).join(":");
  url.username = url.password = "";
  return { address: url.href, login };
}

/** A part of an address as it was meant, or as it is where it is not encoded. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
