/**
 * A text that a script changes. Where a browser has translated the page, the text that Preact holds is
 * no longer on it, so a new text gets a new element.
 */
export function Changing({ text }: { text: string | number }) {
  return <span key={text}>{text}</span>;
}
