const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/**
 * A text in the HTML of a chat, in which it is no tag and no entity.
 *
 * ```ts
 * if (escapeHtml('a < "b" & c') !== "a &lt; &quot;b&quot; &amp; c") throw new Error();
 * ```
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}
