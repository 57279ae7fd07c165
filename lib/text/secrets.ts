/** A shorter secret protects nothing, and its letters stand in other words. */
const SHORTEST = 4;
/** Spellings in which a short secret would be found by chance. */
const SHORTEST_SPELLING = 6;
/** So much of a secret is one, too: a text may have been cut. */
const PART = 12;

/**
 * A text of somebody else without secrets, which programs like to repeat in their errors: as they
 * are, as an address, a form, JSON or HTML has them, in base64 with whatever stands around them, and
 * in parts.
 *
 * ```ts
 * const secret = "s3cret/of+a=source";
 * const texts = [secret, encodeURIComponent(secret), btoa(`me:${secret}`), secret.slice(3, 16)];
 * const shown = texts.map((text) => withoutSecrets(`no access: ${text}!`, [secret]));
 * if (!shown.every((text) => /^no access: .{0,6}….{0,4}!$/.test(text))) throw new Error(shown.join());
 * ```
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const folded = fold(text);
  const covered = new Uint8Array(text.length);
  const spellings = new Set(
    secrets.filter(({ length }) => length >= SHORTEST).flatMap(spellingsOf).map(fold),
  );
  for (const spelling of spellings) cover(folded, spelling, covered);
  let shown = "";
  for (let at = 0; at < text.length; at++) {
    if (!covered[at]) shown += text[at];
    else if (!covered[at - 1]) shown += "…";
  }
  return shown;
}

/** Marks where a spelling stands, or a part of it. */
function cover(text: string, spelling: string, covered: Uint8Array): void {
  if (spelling.length <= PART) {
    for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1)) {
      covered.fill(1, at, at + spelling.length);
    }
    return;
  }
  const parts = new Set<string>();
  for (let at = 0; at + PART <= spelling.length; at++) parts.add(spelling.slice(at, at + PART));
  for (let at = 0; at + PART <= text.length; at++) {
    if (parts.has(text.slice(at, at + PART))) covered.fill(1, at, at + PART);
  }
}

/** Programs write the digits of escapes in either case, and hosts in lower case. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function spellingsOf(secret: string): string[] {
  const once = encodeURIComponent(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const spelled = [
    once,
    encodeURIComponent(once),
    new URLSearchParams({ "": secret }).toString().slice(1),
    json,
    json.replaceAll("/", "\\/"),
    toAscii(json),
    JSON.stringify(json).slice(1, -1),
    ...inHtml(secret),
    new TextEncoder().encode(secret).toHex(),
    ...inBase64(secret),
  ];
  return [secret, ...spelled.filter(({ length }) => length >= SHORTEST_SPELLING)];
}

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** By names; as Go writes it; and as templates do that know no other signs than these by name. */
function inHtml(secret: string): string[] {
  const byNumber = (sign: string) => `&#${sign.charCodeAt(0)};`;
  const byDigits = (sign: string) => `&#x${sign.charCodeAt(0).toString(16)};`;
  return [
    secret.replace(/[&<>"']/g, (sign) => HTML[sign]!),
    secret.replace(/[&<>"'+]/g, (sign) => /[&<>]/.test(sign) ? HTML[sign]! : byNumber(sign)),
    secret.replace(/[&<>"'`=/]/g, (sign) => /[&<>"]/.test(sign) ? HTML[sign]! : byDigits(sign)),
    secret.replace(/[&<>"'`=]/g, (sign) => /[&<>"]/.test(sign) ? HTML[sign]! : byDigits(sign)),
  ];
}

function toAscii(json: string): string {
  return json.replace(
    /[^\x20-\x7e]|[<>&'+=]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The signs that depend on the secret alone, at each place where it may begin. */
function inBase64(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const first = Math.ceil(before * 8 / 6);
    const signs = Math.floor(padded.length * 8 / 6);
    const base64 = padded.toBase64().slice(first, signs);
    return [base64, base64.replaceAll("+", "-").replaceAll("/", "_")];
  });
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
  const login = [url?.username ?? "", url?.password ?? ""].map(decode);
  const found = [...given, ...values, ...login].filter((text) => !SCHEME.test(text));
  return [...new Set(found)];
}

/** The header for Basic authentication (RFC 7617) with `user:password`. */
export function basicAuthorization(login: string): string {
  return `Basic ${new TextEncoder().encode(login).toBase64()}`;
}

/** The user and the password of a header for Basic authentication (RFC 7617). */
function loginIn(header: string): string[] {
  const [, encoded] = /^basic\s+([\w+/]+={0,2})$/i.exec(header) ?? [];
  if (encoded === undefined) return [];
  try {
    const [, user, password] = /^([^:]*):(.*)$/s.exec(
      new TextDecoder().decode(Uint8Array.fromBase64(encoded)),
    ) ?? [];
    return [user ?? "", password ?? ""];
  } catch {
    return [];
  }
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
  const url = /^https?:/i.test(address) ? URL.parse(address) : null;
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
