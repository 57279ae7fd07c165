/** Addresses that a link may have. */
const LINKED = /^(?:https?:\/\/|mailto:)\S/i;

/** A link in Markdown; its text alone where the address is no web or mail address. */
export function linkTo(address: string, text: string): string {
  if (!LINKED.test(address)) return text || address;
  const safe = address.replace(
    /[\s()<>\\]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
  return text === "" || text === address ? safe.replace(/^mailto:/i, "") : `[${text}](${safe})`;
}

/** Code within a line; its fence is longer than any in it (CommonMark, 6.1). */
export function inlineCode(code: string): string {
  if (code.trim() === "") return code;
  const fence = "`".repeat(longestRun(code) + 1);
  const space = /^`|`$/.test(code) ? " " : "";
  return fence + space + code + space + fence;
}

/** A block of code; its fence is longer than any in it (CommonMark, 4.5). */
export function codeBlock(code: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${language}\n${code.replace(/^\n|\n$/g, "")}\n${fence}`;
}

function longestRun(code: string): number {
  return (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
