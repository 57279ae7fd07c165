/** XML that is well formed as it stands. */
export class Xml {
  constructor(readonly text: string) {}
}

/** Everything that XML 1.0 (section 2.2) does not let stand in a document, even escaped. */
// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * A text without the characters that no XML document may hold.
 *
 * ```ts
 * if (dropForbidden("a\u0001b\ud800\n") !== "ab\ufffd\n") throw new Error();
 * ```
 */
export function dropForbidden(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN, "");
}

/**
 * Makes XML of a tagged template: values are escaped, XML stands as it is, lists are joined, and
 * what is null leaves nothing.
 *
 * ```ts
 * const title = "a < b & \u0000";
 * if (xml`<title>${title}</title>`.text !== "<title>a &lt; b &amp; </title>") throw new Error();
 * ```
 */
export function xml(strings: TemplateStringsArray, ...values: XmlValue[]): Xml {
  return new Xml(strings.map((text, index) => text + render(values[index])).join(""));
}

/** A whole document; nothing may stand before its declaration (XML 1.0, section 2.8). */
export function formatXmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.text.trim()}\n`;
}

type XmlValue = Xml | string | number | null | undefined | readonly XmlValue[];

function render(value: XmlValue): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Xml) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return dropForbidden(String(value))
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#39;").replaceAll("\r", "&#13;");
}
