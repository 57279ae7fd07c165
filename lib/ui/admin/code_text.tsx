/** A sentence of the documents: `code` between backticks, and links as their label. */
export function CodeText({ text }: { text: string }) {
  const parts = text.replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1").split("`");
  return <>{parts.map((part, place) => place % 2 === 0 ? part : <code key={place}>{part}</code>)}
  </>;
}
