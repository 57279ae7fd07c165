/**
 * One line of text in which Markdown finds no sign of its own: a backslash goes before each
 * (CommonMark, 2.4).
 *
 * ```ts
 * const texts = ["[a](b) <at>", "1. *x*", "- R&D &lt; 3.5 - 2"].map(escapeMarkdown).join("|");
 * if (texts !== "\\[a\\](b) \\<at>|1\\. \\*x\\*|\\- R&D \\&lt; 3.5 - 2") throw new Error(texts);
 * ```
 */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|[\]<]|&(?=#?\w+;)|^[#>+-]/g, "\\$&")
    .replace(/^(\d+)(?=[.)])/, "$1\\");
}
