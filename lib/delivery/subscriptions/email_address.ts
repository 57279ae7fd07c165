import { reason } from "../../text/said.ts";
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
  if (trimmed === "") return { reason: reason("reason.empty") };
  if (at === -1) return { reason: reason("reason.no_at") };
  const local = trimmed.slice(0, at).toLowerCase();
  const refusal = refuseLocalPart(local);
  if (refusal) return { reason: refusal };
  const domain = toAscii(trimmed.slice(at + 1));
  if (domain === null) {
    return { reason: reason("reason.no_domain") };
  }
  const address = `${local}@${domain}`;
  return address.length > MAX_LENGTH.address
    ? { reason: reason("reason.too_long", { length: MAX_LENGTH.address }) }
    : { address };
}

function refuseLocalPart(local: string): string | null {
  if (local === "") return reason("reason.no_name");
  if (local.includes('"')) return reason("reason.quotes");
  // deno-lint-ignore no-control-regex
  if (/[^\x00-\x7f]/.test(local)) {
    return reason("reason.ascii");
  }
  if (!DOT_ATOM.test(local)) {
    return reason("reason.plain");
  }
  if (local.length > MAX_LENGTH.local) {
    return reason("reason.long_name", { length: MAX_LENGTH.local });
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
