/** RFC 5322, section 3.2.3: what a local part without quotes is made of. */
const DOT_ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** Longest parts in octets: RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3; RFC 1035, section 2.3.4. */
const MAX_LENGTH = { local: 64, domain: 253, label: 63, address: 254 };

/**
 * Reads an e-mail address: trimmed, in lower case, the domain in A-labels (RFC 5890). A local
 * part that only few servers take (quoted, or not ASCII) is refused.
 *
 * ```ts
 * const { address } = parseEmailAddress(" Ann+news@Bücher.example ");
 * if (address !== "ann+news@xn--bcher-kva.example") throw new Error(address);
 * if (!parseEmailAddress('"a b"@example.com').reason) throw new Error();
 * ```
 */
export function parseEmailAddress(
  text: string,
): { address: string; reason?: undefined } | { address?: undefined; reason: string } {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf("@");
  if (trimmed === "") return { reason: "must not be empty" };
  if (at === -1) return { reason: "must have an @, as in name@example.com" };
  const local = trimmed.slice(0, at).toLowerCase();
  const reason = refuseLocalPart(local);
  if (reason) return { reason };
  const domain = toAscii(trimmed.slice(at + 1));
  if (domain === null) {
    return { reason: "must end with the name of a domain after the @, such as example.com" };
  }
  const address = `${local}@${domain}`;
  return address.length > MAX_LENGTH.address
    ? { reason: `must be at most ${MAX_LENGTH.address} characters long` }
    : { address };
}

function refuseLocalPart(local: string): string | null {
  if (local === "") return "must have a name before the @";
  if (local.includes('"')) return "must not have quotes: quoted names are not supported";
  // deno-lint-ignore no-control-regex
  if (/[^\x00-\x7f]/.test(local)) {
    return "must have only ASCII characters before the @: few mail servers accept others";
  }
  if (!DOT_ATOM.test(local)) {
    return "must be one plain address: before the @ there may be letters, digits, single dots and !#$%&'*+/=?^_`{|}~-";
  }
  if (local.length > MAX_LENGTH.local) {
    return `must have at most ${MAX_LENGTH.local} characters before the @`;
  }
  return null;
}

/** The URL Standard's "domain to ASCII" does the IDNA mapping; null where it is no host name. */
function toAscii(domain: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.\-\u3002\u200c\u200d]+$/u.test(domain)) return null;
  const address = `http://${domain}/`;
  if (!URL.canParse(address)) return null;
  const ascii = new URL(address).hostname;
  const labels = ascii.split(".");
  const isName = labels.length > 1 && ascii.length <= MAX_LENGTH.domain &&
    labels.every((label) => LABEL.test(label) && label.length <= MAX_LENGTH.label) &&
    !/^\d+$/.test(labels.at(-1)!);
  return isName ? ascii : null;
}
