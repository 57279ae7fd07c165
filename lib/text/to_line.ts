/**
 * A text as one line, as a name is shown: without control characters, which could forge lines or
 * steer a terminal, and without those of bidirectional text (Unicode Annex 9), which could show it
 * in another order.
 *
 * ```ts
 * if (toLine("a\r\nBcc:\u001b[2J b ") !== "a Bcc: [2J b") throw new Error();
 * if (toLine("\u202egnp.exe") !== "gnp.exe") throw new Error();
 * ```
 */
export function toLine(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, "").replace(/[\s\p{Cc}]+/gu, " ").trim();
}
