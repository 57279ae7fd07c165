/** Words in the names of parameters and headers whose values are secret. */
export const SECRET_NAME =
  /key|token|secret|sig|code|pass|pwd|^pw$|auth|sas|jwt|^sid$|session|cred|bearer|hash|cookie/i;
/** What every request has, and how a server is signed in to. */
const NO_SECRET = /^(?:accept|content-type|user-agent)$/i;
const SCHEME = /^(?:basic|bearer|token|digest|apikey)$/i;

/** What the request for an address has that no message may repeat. */
export function secretsIn(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): string[] {
  const given = Object.entries(headers).filter(([name]) => !NO_SECRET.test(name))
    .flatMap(([, value]) => [value, ...value.split(/\s+/)]);
  const url = URL.parse(address);
  const values = [...url?.searchParams ?? []].filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value);
  const login = [url?.username ?? "", url?.password ?? ""].map(decode);
  const found = [...given, ...values, ...login].filter((text) => !SCHEME.test(text));
  return [...new Set(found)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
