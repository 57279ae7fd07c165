import type { ComponentChildren } from "preact";
import type {
  BoardColumn,
  BoardGrid,
  CellItem,
  CellSearch,
  Outside,
  TimelineCell,
} from "../../lib/roadmap/quarters/quarter_grid.ts";
import { countOf } from "../../lib/text/phrases.ts";
import type { Marks } from "../../lib/text/match_words.ts";
import { Name } from "../name.tsx";
import { Marked } from "./releases.tsx";
import { type SearchAnswer, searchLink, type SearchQuery } from "./search_query.ts";

/** What a view by quarter shows. */
export interface QuarterViewProps {
  path: string;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}

/** A window of quarters, a column each, or a column for how far releases have come. */
export function Board(props: QuarterViewProps) {
  const board: BoardGrid = props.answer.board ?? { columns: [] };
  const isByStatus = props.query.group !== "";
  return (
    <div class="boards">
      <div class="board-head">
        <Earlier {...props} outside={board} />
        <nav class="switch" aria-label="Columns">
          {["", "status"].map((group) => (
            <Go
              {...props}
              to={{ group, from: "" }}
              current={isByStatus === (group !== "")}
            >
              {group ? "Status" : "Quarter"}
            </Go>
          ))}
        </nav>
        <Later {...props} outside={board} />
      </div>
      <div class="board" role="group" tabIndex={0} aria-label="Board">
        {board.columns.map((column) => <Column key={column.name} column={column} {...props} />)}
      </div>
      <Undated {...props} outside={board} />
    </div>
  );
}

function Column({ column, ...props }: QuarterViewProps & { column: BoardColumn }) {
  const { name, total, groups } = column;
  const isNow = name === props.quarter;
  return (
    <section class={isNow ? "column current" : "column"}>
      <h3>
        {name} {isNow && <span class="badge tone-now">now</span>} <span class="quiet">{total}</span>
      </h3>
      <p class="column-counts">
        {groups.map(({ standing, total }, place) =>
          standing && (
            <>
              {place > 0 && " · "}
              <span class={standing === "overdue" ? "late" : undefined}>{total} {standing}</span>
            </>
          )
        )}
      </p>
      {groups.map(({ standing, items, total, all }) => (
        <>
          {groups[1] && <h4>{standing}</h4>}
          <CellItems path={props.path} marks={props.answer.marks} items={items} />
          {all && (
            <Go {...props} to={{ view: "", ...all }}>
              + {total - items.length} {standing ?? "more"}
              <span class="visually-hidden">, {name}</span>
            </Go>
          )}
        </>
      ))}
    </section>
  );
}

/** Products by quarters: how much has shipped and is to come; a cell opens its releases beside it. */
export function Timeline(props: QuarterViewProps) {
  const { timeline } = props.answer;
  if (!timeline) return null;
  const { quarters, rows, more, idle } = timeline;
  return (
    <div class="boards">
      <div class="board-head">
        <Earlier {...props} outside={timeline} />
        <p class="keys">
          <span class="shipped-key">●</span> shipped <span class="open-key">○</span> to come{" "}
          <span class="slipped-key">↷</span> slipped to the quarter
        </p>
        <Later {...props} outside={timeline} />
      </div>
      <div class="timeline-view" role="group" tabIndex={0} aria-label="Products by quarter">
        <table>
          <caption class="visually-hidden">Releases by product and quarter</caption>
          <thead>
            <tr>
              <th scope="col">Product</th>
              {quarters.map((name) => (
                <th key={name} scope="col" class={name === props.quarter ? "current" : undefined}>
                  {name} {name === props.quarter && <span class="badge tone-now">now</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ product, total, cells }) => (
              <tr key={product}>
                <th scope="row">
                  <Name text={product} /> <span class="quiet">{total}</span>
                </th>
                {cells.map((cell, place) => (
                  <td key={place}>
                    {cell && (
                      <CellDetails
                        {...props}
                        cell={cell}
                        title={`${product}, ${quarters[place]}`}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more + idle > 0 && (
        <p class="quiet">
          {more > 0 && `${countOf(more, "more product")} with fewer releases. `}
          {idle > 0 && `${countOf(idle, "product")} with nothing in these quarters.`}
        </p>
      )}
      <Undated {...props} outside={timeline} />
    </div>
  );
}

/** Of all cells one is open at a time. */
function CellDetails({ cell, title, ...props }: QuarterViewProps & {
  cell: TimelineCell;
  title: string;
}) {
  const { shipped, open, slipped, total, items, all } = cell;
  return (
    <details name="cell">
      <summary>
        {shipped > 0 && (
          <span class="shipped-key">
            <span aria-hidden="true">●</span> {shipped} <span class="visually-hidden">shipped</span>
          </span>
        )} {open > 0 && (
          <span class="open-key">
            <span aria-hidden="true">○</span> {open} <span class="visually-hidden">to come</span>
          </span>
        )}
        {slipped > 0 && (
          <span class="slipped-key">
            <span aria-hidden="true">↷</span> {slipped}{" "}
            <span class="visually-hidden">slipped to this quarter</span>
          </span>
        )}
        {shipped + open === 0 && <span class="quiet">{total} stopped</span>}
      </summary>
      <div class="cell-panel">
        <p class="quiet">{title}</p>
        <CellItems path={props.path} marks={props.answer.marks} items={items} />
        {all && (
          <Go {...props} to={{ view: "", ...all }}>
            Show all {total} <span class="visually-hidden">of {title}</span>
          </Go>
        )}
      </div>
    </details>
  );
}

/** The releases of a cell of a board or a timeline. */
function CellItems({ path, marks, items }: {
  path: string;
  marks: Marks | undefined;
  items: readonly CellItem[];
}) {
  if (items.length === 0) return null;
  return (
    <ul class="cell-items">
      {items.map((item) => (
        <li
          key={item.release_item_id}
          class={`at-${item.tone}${item.active === false ? " removed" : ""}`}
        >
          <a href={`${path}/release/${item.release_item_id}`}>
            <Marked text={item.feature_name} marks={marks} />
          </a>{" "}
          <span class="status">{item.release_status}</span>
          {item.slipped_from && (
            <span class="slipped">
              <span aria-hidden="true">↷</span> <span class="visually-hidden">slipped</span> from
              {" "}
              {item.slipped_from}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A link to another part of the search. */
function Go({ path, query, onPick, to, current, children }: QuarterViewProps & {
  to: Partial<SearchQuery> | CellSearch;
  current?: boolean;
  children: ComponentChildren;
}) {
  const wanted = { ...query, page: 1, ...to } as SearchQuery;
  return (
    <a
      class="show-all"
      {...searchLink(path, wanted, () => onPick(wanted))}
      aria-current={current ? "true" : undefined}
    >
      {children}
      {" "}
    </a>
  );
}

type OutsideProps = QuarterViewProps & { outside: Outside };

/** Slides the window a quarter back. */
function Earlier({ outside: { earlier }, ...props }: OutsideProps) {
  return earlier
    ? (
      <Go {...props} to={{ from: earlier.first }}>
        ‹ Earlier: {countOf(earlier.total, "release")}
      </Go>
    )
    : null;
}

/** Slides the window a quarter on. */
function Later({ outside: { later }, ...props }: OutsideProps) {
  return later
    ? <Go {...props} to={{ from: later.first }}>Later: {countOf(later.total, "release")} ›</Go>
    : null;
}

/** Leads to what no quarter has. */
function Undated({ outside: { undated }, ...props }: OutsideProps) {
  return undated
    ? (
      <p>
        <Go {...props} to={{ view: "", ...undated.all }}>
          {countOf(undated.total, "release")} without a date
        </Go>
      </p>
    )
    : null;
}
