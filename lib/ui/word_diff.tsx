import { toPlainText } from "../text/plain_text.ts";
import { diffWords, spaceParts } from "../text/word_diff.ts";

/** How much is shown of a rewritten text, in characters: beside other releases, or on its page. */
const LENGTHS = {
  short: { context: 40, change: 160, all: 400 },
  long: { context: 60, change: 240, all: 900 },
} as const;

/** The elements of changed words, and what a screen reader says before them. */
const REMOVED = { tag: "del", name: "removed: " } as const;
const ADDED = { tag: "ins", name: "added: " } as const;

/** What was rewritten in a description, word by word; null where all words are the same. */
export function WordDiff({ before, after, length }: {
  before: string;
  after: string;
  length: keyof typeof LENGTHS;
}) {
  const parts = diffWords(toPlainText(before), toPlainText(after), LENGTHS[length]);
  if (parts.length === 0) return null;
  return (
    <p class="diff" dir="auto">
      {spaceParts(parts).map(({ kind, space, words }, place) => {
        if (kind === "kept") return words;
        const { tag: Tag, name } = kind === "removed" ? REMOVED : ADDED;
        return [
          space,
          <Tag key={place}>
            <span class="visually-hidden">{space === "" ? ` ${name}` : name}</span>
            {words}
          </Tag>,
        ];
      })}
    </p>
  );
}
