import type { Key } from "../../lib/text/message_keys.ts";
import { ShareMenu } from "../share_menu.tsx";
import { Switch, type SwitchChoice, SwitchMenu } from "../switch.tsx";
import {
  filterQuery,
  type SearchAnswer,
  searchLink,
  searchParameters,
  type SearchQuery,
} from "./search_query.ts";
import { say } from "../../lib/text/say.ts";

interface ToolsProps {
  path: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(part: Partial<SearchQuery>): void;
}

/** What the results look like: their order or their columns, the view, and what to do with them. */
export function Tools(props: ToolsProps) {
  const { path, query } = props;
  return (
    <div class="tools">
      {query.view === "board"
        ? (
          <>
            <Slide {...props} />
            <SwitchMenu label={say("tools.columns")} choices={choicesOf(props, COLUMNS)} />
          </>
        )
        : <SwitchMenu label={say("tools.sort_by")} choices={choicesOf(props, ordersOf(query))} />}
      <Switch label={say("tools.view")} choices={choicesOf(props, VIEWS)} />
      <ShareMenu
        copy={query.view === "" ? `${path}/copy${searchParameters(query)}` : undefined}
        path={path}
        links={LINKS}
        query={filterQuery(query)}
      />
    </div>
  );
}

const LINKS = [
  ["/rss.xml", "layout.rss_feed"],
  ["/calendar.ics", "share.calendar"],
  ["/releases.csv", "share.csv"],
] as const;

type Part = Partial<SearchQuery>;
type Offer = readonly [part: Part, words: Key, icon?: string];

const VIEWS: readonly Offer[] = [
  [{ view: "", from: "", group: "" }, "view.list", "M2 4h12M2 8h12M2 12h12"],
  [{ view: "board", from: "", group: "" }, "view.board", "M3 2v12M8 2v8M13 2v10"],
];
const COLUMNS: readonly Offer[] = [
  [{ group: "", from: "" }, "columns.quarter"],
  [{ group: "status", from: "" }, "columns.status"],
];

/** With words the default order is the best match first, without them what comes soonest. */
function ordersOf({ q, sort, order }: SearchQuery): readonly Offer[] {
  return [
    [{ sort: "", order: "" }, q.trim() ? "sort.best" : "sort.soonest"],
    [{ sort: "last_modified", order: "" }, "sort.changed"],
    [{ sort: "release_date", order: "asc" }, "sort.earliest"],
    [{ sort: "release_date", order: "" }, "sort.latest"],
    // Only an address asks for it.
    ...sort === "last_modified" && order === "asc"
      ? [[{ sort, order }, "sort.unchanged"] as const]
      : [],
  ];
}

function choicesOf({ path, query, onPick }: ToolsProps, offered: readonly Offer[]): SwitchChoice[] {
  return offered.map(([part, words, icon]) => {
    const { from: _, ...state } = part;
    return {
      words: say(words),
      icon,
      isCurrent: Object.entries(state).every(([name, value]) =>
        query[name as keyof Part] === value || name === "group" && "view" in part
      ),
      link: searchLink(path, { ...query, ...part, page: 1 }, () => onPick(part)),
    };
  });
}

/** Slides the quarters of a board back or on. */
function Slide({ path, query, answer: { board }, onPick }: ToolsProps) {
  return (
    <>
      {([["earlier", "board.earlier"], ["later", "board.later"]] as const).map(([side, words]) => {
        const outside = board?.[side];
        const part = { from: outside?.first };
        return outside && (
          <a
            key={side}
            class="slide"
            title={say("list.more", { count: outside.total })}
            {...searchLink(path, { ...query, ...part, page: 1 } as SearchQuery, () => onPick(part))}
          >
            {say(words)}
          </a>
        );
      })}
    </>
  );
}
