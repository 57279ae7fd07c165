import {
  type ChangeInWords,
  describeChanges,
  type KindedChange,
} from "../roadmap/changes/change_in_words.ts";
import { heaviestKind, nameKind } from "../roadmap/changes/kinds.ts";
import type { Variant } from "../roadmap/variant.ts";
import { formatDay } from "../text/dates.ts";
import { diffDescriptions, spaceParts } from "../text/word_diff.ts";
import { Day } from "./dates.tsx";
import { say } from "../text/messages.ts";

/** The changes of one import, as a timeline entry; null if the variant hides them. */
export function ChangeList({ variant, changes, day, id, showsDiff }: {
  variant: Variant;
  changes: readonly KindedChange[];
  day: string;
  /** Of the entry, to link to it. */
  id: string;
  /** It shows what was rewritten, word by word. */
  showsDiff: boolean;
}) {
  const described = describeChanges(variant, changes);
  if (described.length === 0) return null;
  return (
    <li class={`at-${heaviestKind(described.map(({ kind }) => kind))}`} id={id}>
      <Day day={day} />{" "}
      <a class="anchor" href={`#${id}`} aria-label={say("history.link", { day: formatDay(day) })}>
        #
      </a>
      <ChangesInWords changes={described} showsDiffs={showsDiff} />
    </li>
  );
}

/** Changes, each with a badge that names its kind, and with what was rewritten if that is wanted. */
function ChangesInWords(
  { changes, showsDiffs }: { changes: readonly ChangeInWords[]; showsDiffs: boolean },
) {
  return (
    <ul class="changes">
      {changes.map(({ kind, text, link, rewritten }) => (
        <li key={text}>
          <span class={`badge kind-${kind}`}>{nameKind(kind)}</span>{" "}
          <ChangeText text={text} link={link} />
          {showsDiffs && rewritten && <WordDiff {...rewritten} length="long" />}
        </li>
      ))}
    </ul>
  );
}

/** The words of a change, which lead to what it is about. */
export function ChangeText({ text, link }: Pick<ChangeInWords, "text" | "link">) {
  return link
    ? <a href={link} dir="auto" rel="noopener noreferrer">{text}</a>
    : <span dir="auto">{text}</span>;
}

/** The most rewritten texts of a page that are compared word by word: each takes milliseconds. */
export const MAX_DIFFS = 20;

/** How much is shown of a rewritten text, in characters: beside other releases, or on its page. */
const LENGTHS = {
  short: { context: 40, change: 160, all: 400 },
  long: { context: 60, change: 240, all: 900 },
} as const;

/** The elements of changed words, and what a screen reader says before them. */
const REMOVED = { tag: "del", name: "diff.removed" } as const;
const ADDED = { tag: "ins", name: "diff.added" } as const;

/** What was rewritten in a description, word by word; null where all words are the same. */
export function WordDiff({ before, after, length }: {
  before: string;
  after: string;
  length: keyof typeof LENGTHS;
}) {
  const parts = diffDescriptions(before, after, LENGTHS[length]);
  if (parts.length === 0) return null;
  return (
    <p class="diff" dir="auto">
      {spaceParts(parts).map(({ kind, space, words }, place) => {
        if (kind === "kept") return words;
        const { tag: Tag, name } = kind === "removed" ? REMOVED : ADDED;
        return [
          space,
          <Tag key={place}>
            <span class="visually-hidden">{(space === "" ? " " : "") + say(name)}</span>
            {words}
          </Tag>,
        ];
      })}
    </p>
  );
}
