import type {
  BoardColumn,
  BoardGroup,
  CellItem,
  CellSearch,
} from "../../lib/roadmap/quarters/quarter_grid.ts";
import { isStated } from "../../lib/roadmap/stated.ts";
import { formatNarrow, showQuarter } from "../../lib/text/dates.ts";
import { joinParts } from "../../lib/text/phrases.ts";
import type { Marks } from "../../lib/text/match_words.ts";
import { Changing } from "../changing.tsx";
import { hidden, Name } from "../name.tsx";
import { Marked } from "./releases.tsx";
import { type SearchAnswer, searchLink, type SearchQuery } from "./search_query.ts";
import { rich, say } from "../../lib/text/say.ts";

interface BoardProps {
  path: string;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}

/** A window of quarters, a column each, or a column for how far releases have come. */
export function Board(props: BoardProps) {
  const { columns = [], undated } = props.answer.board ?? {};
  return (
    <div class="boards">
      <div class="board" role="group" tabIndex={0} aria-label={say("view.board")}>
        {columns.map((column) => <Column key={column.name} column={column} {...props} />)}
      </div>
      {undated && (
        <p>
          <All
            {...props}
            to={undated.all}
            words={say("board.undated", { count: undated.total })}
          />
        </p>
      )}
    </div>
  );
}

/** What the groups of a quarter are called. */
const STANDINGS = {
  overdue: "filter.overdue",
  unclear: "standing.unclear",
  "to come": "standing.to_come",
  shipped: "standing.shipped",
  stopped: "standing.stopped",
} as const;

/** The columns of a board by status; those by quarter have their name in every language. */
const TONES = {
  in_progress: "tone.in_progress",
  planned: "tone.planned",
  shipped: "tone.shipped",
  stopped: "tone.stopped",
} as const;

function showColumn(name: string): string {
  return name in TONES ? say(TONES[name as keyof typeof TONES]) : showQuarter(name);
}

function Column(
  { column: { name, total, groups }, ...props }: BoardProps & { column: BoardColumn },
) {
  const isNow = name === props.quarter;
  return (
    <section class={isNow ? "column current" : "column"}>
      <h3>
        <span>{showColumn(name)}</span>{" "}
        {isNow && <span class="badge tone-now">{say("list.now")}</span>}{" "}
        <span class="quiet">
          <Changing text={total} />
        </span>
      </h3>
      {groups.map((group) => (
        <Group key={group.standing ?? ""} group={group} column={name} {...props} />
      ))}
    </section>
  );
}

function Group({ group: { standing, items, total, all }, column, ...props }: BoardProps & {
  group: BoardGroup;
  column: string;
}) {
  return (
    <>
      {standing && (
        <h4 class={standing === "overdue" ? "late" : undefined}>{say(STANDINGS[standing])}</h4>
      )}
      {items.length > 0 && (
        <ul class="cards">
          {items.map((item) => (
            <Card
              key={item.release_item_id}
              path={props.path}
              item={item}
              marks={props.answer.marks}
              hasTone={standing !== null}
            />
          ))}
        </ul>
      )}
      {all && (
        <All
          {...props}
          to={all}
          words={say("list.more", { count: total - items.length })}
          more={joinParts([...standing ? [say(STANDINGS[standing])] : [], showColumn(column)])}
        />
      )}
    </>
  );
}

/** A release: its column says when it comes or how far it is, so it says its product and its move. */
function Card({ path, item, marks, hasTone }: {
  path: string;
  item: CellItem;
  marks: Marks | undefined;
  hasTone: boolean;
}) {
  const { release_item_id, feature_name, product_name, release_status, slipped_from } = item;
  return (
    <li class={item.active === false ? "removed" : undefined}>
      <a href={`${path}/release/${release_item_id}`}>
        <Marked text={feature_name} marks={marks} lang={item.lang} />
      </a>
      <p>
        {hasTone && isStated(release_status) && (
          <span class={`dot at-${item.tone}`} title={release_status}>
            {hidden(release_status)}
          </span>
        )} {isStated(product_name) && <Name text={product_name} />}{" "}
        {slipped_from && (
          <span class="late">
            <span aria-hidden="true">↷</span> {rich("board.slipped", {
              hidden,
              date: formatNarrow(slipped_from),
            })}
          </span>
        )}
      </p>
      {item.next_date && <p>{item.next_date}</p>}
    </li>
  );
}

/** A link to the part of the search that lists all of something. */
function All({ path, query, onPick, to, words, more }: BoardProps & {
  to: CellSearch;
  words: string;
  /** Only for those who listen. */
  more?: string;
}) {
  const wanted: SearchQuery = { ...query, page: 1, view: "", ...to };
  return (
    <a class="show-all" {...searchLink(path, wanted, () => onPick(wanted))}>
      <Changing text={words} />
      {more && hidden(say("list.separator") + more)}
    </a>
  );
}
