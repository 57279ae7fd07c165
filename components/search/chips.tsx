import { useRef } from "preact/hooks";
import { describeDates, describeModification } from "../../lib/roadmap/filter/filter_in_words.ts";
import { describeDue } from "../../lib/roadmap/filter/due.ts";
import { LIST_NAMES, NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import type { SearchAnswer } from "./search_answer.ts";
import { type SearchQuery, withoutFilter } from "./search_query.ts";
import { Name } from "../name.tsx";
import { searchLink } from "./search_link.ts";

const MODIFICATION = ["modified_within_days", "modified_since"] as const;

interface Chip {
  words: string;
  /** The search without it. */
  without: Partial<SearchQuery>;
}

interface ChipsProps {
  path: string;
  query: SearchQuery;
  answer: Pick<SearchAnswer, "dates">;
  onTake(without: Partial<SearchQuery>): void;
  /** The last one was taken off. */
  onNone(): void;
}

/** What is chosen, each with a link that takes it off. */
export function Chips({ path, query, answer: { dates }, onTake, onNone }: ChipsProps) {
  const list = useRef<HTMLUListElement>(null);
  const inWords = dates
    ? [...describeDates(dates), ...describeDue(dates.due)]
      .map((words) => ({ words, without: { q: dates.rest } }))
    : [];
  const chips = [...listChips(query), ...inWords];
  if (chips.length === 0) return null;
  const all = withoutFilter(query);

  /** The focus goes to the next one, or to the one before. */
  function take({ without }: Chip, place: number): void {
    onTake(without);
    if (chips.length === 1) return onNone();
    const links = list.current?.querySelectorAll("a");
    links?.[place === chips.length - 1 ? place - 1 : place + 1]?.focus();
  }

  return (
    <ul class="chips" aria-label="Active filters" ref={list}>
      {chips.map((chip, place) => (
        <li key={chip.words}>
          <a
            {...searchLink(path, { ...query, ...chip.without, page: 1 }, () => take(chip, place))}
          >
            <span class="visually-hidden">Remove filter:</span> <Name text={chip.words} />
          </a>
        </li>
      ))}
      {chips.length > 1 && (
        <li key="">
          <a
            class="clear"
            {...searchLink(path, all, () => {
              onTake(all);
              onNone();
            })}
          >
            Clear all
          </a>
        </li>
      )}
    </ul>
  );
}

/** How many filters are chosen, the words aside. */
export function countChips(query: SearchQuery): number {
  return listChips(query).length;
}

function listChips(query: SearchQuery): Chip[] {
  const values = LIST_NAMES.flatMap((name) =>
    query[name].map((value) => ({
      words: value,
      without: { [name]: query[name].filter((one) => one !== value) },
    }))
  );
  return [
    ...values,
    ...describeDates(query).map((words) => ({
      words,
      without: { release_date_from: "", release_date_to: "" },
    })),
    ...describeDue(query.due).map((words) => ({ words, without: { due: "" } })),
    ...MODIFICATION.flatMap((name) =>
      describeModification({ ...NO_FILTER, [name]: query[name] })
        .map((words) => ({ words, without: { [name]: "" } }))
    ),
    ...query.include_inactive
      ? [{ words: "including removed", without: { include_inactive: "" } }]
      : [],
  ];
}
