/** RFC 5545, section 3.1: a line has at most 75 octets, its line break not counted. */
const MAX_OCTETS = 75;
/** No character of UTF-16 takes more octets in UTF-8. */
const MAX_OCTETS_OF_UNIT = 3;

/** Section 3.1: controls but the tab stand nowhere; those of Unicode that break lines break them here too. */
// deno-lint-ignore no-control-regex
const BREAKS = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/g;
// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** A calendar has thousands of texts, of which few hold any of these. */
// deno-lint-ignore no-control-regex
const SPECIAL = /[\\;,\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufffe\uffff]/;
// deno-lint-ignore no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * A text as the value of a property of iCalendar (RFC 5545, section 3.3.11).
 *
 * ```ts
 * const text = escapeIcalText("a, b; c\\d\r\nBEGIN:VEVENT\u0001");
 * if (text !== "a\\, b\\; c\\\\d\\nBEGIN:VEVENT") throw new Error(text);
 * ```
 */
export function escapeIcalText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.toWellFormed().replace(/[\\;,]/g, "\\$&").replace(BREAKS, "\\n")
    .replace(FORBIDDEN, "");
}

/**
 * Lines of iCalendar, each folded where it is too long, never inside a character.
 *
 * ```ts
 * const text = formatIcalLines(["SUMMARY:" + "é".repeat(40)]);
 * if (text !== `SUMMARY:${"é".repeat(33)}\r\n ${"é".repeat(7)}\r\n`) throw new Error(text);
 * ```
 */
export function formatIcalLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

function foldLine(line: string): string {
  const most = ASCII.test(line) ? 1 : MAX_OCTETS_OF_UNIT;
  if (line.length * most <= MAX_OCTETS) return line;
  const pieces: string[] = [];
  let start = 0;
  let octets = 0;
  for (let at = 0; at < line.length;) {
    const code = line.codePointAt(at)!;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (octets + size > MAX_OCTETS) {
      pieces.push(line.slice(start, at));
      start = at;
      // The space before what follows counts.
      octets = 1;
    }
    octets += size;
    at += code < 0x10000 ? 1 : 2;
  }
  pieces.push(line.slice(start));
  return pieces.join("\r\n ");
}
