import { ShareMenu } from "../share_menu.tsx";
import { Switch, type SwitchChoice, SwitchMenu } from "../switch.tsx";
import {
  filterQuery,
  type SearchAnswer,
  searchLink,
  searchParameters,
  type SearchQuery,
} from "./search_query.ts";

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
            <SwitchMenu label="Columns" choices={choicesOf(props, COLUMNS)} />
          </>
        )
        : <SwitchMenu label="Sort by" choices={choicesOf(props, ordersOf(query))} />}
      <Switch label="View" choices={choicesOf(props, VIEWS)} />
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
  ["/rss.xml", "RSS feed"],
  ["/calendar.ics", "Calendar"],
  ["/releases.csv", "Table (CSV)"],
] as const;

type Part = Partial<SearchQuery>;
type Offer = readonly [part: Part, words: string, icon?: string];

const VIEWS: readonly Offer[] = [
  [{ view: "", from: "", group: "" }, "List", "M2 4h12M2 8h12M2 12h12"],
  [{ view: "board", from: "", group: "" }, "Board", "M3 2v12M8 2v8M13 2v10"],
];
const COLUMNS: readonly Offer[] = [
  [{ group: "", from: "" }, "By quarter"],
  [{ group: "status", from: "" }, "By status"],
];

/** With words the default order is the best match first, without them what comes soonest. */
function ordersOf({ q, sort, order }: SearchQuery): readonly Offer[] {
  return [
    [{ sort: "", order: "" }, q.trim() ? "Best match" : "Soonest first"],
    [{ sort: "last_modified", order: "" }, "Recently changed"],
    [{ sort: "release_date", order: "asc" }, "Earliest date"],
    [{ sort: "release_date", order: "" }, "Latest date"],
    // Only an address asks for it.
    ...sort === "last_modified" && order === "asc"
      ? [[{ sort, order }, "Least recently changed"] as const]
      : [],
  ];
}

function choicesOf({ path, query, onPick }: ToolsProps, offered: readonly Offer[]): SwitchChoice[] {
  return offered.map(([part, words, icon]) => {
    const { from: _, ...state } = part;
    return {
      words,
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
      {([["earlier", "‹ Earlier"], ["later", "Later ›"]] as const).map(([side, words]) => {
        const outside = board?.[side];
        const part = { from: outside?.first };
        return outside && (
          <a
            key={side}
            class="slide"
            title={`${outside.total.toLocaleString("en")} more`}
            {...searchLink(path, { ...query, ...part, page: 1 } as SearchQuery, () => onPick(part))}
          >
            {words}
          </a>
        );
      })}
    </>
  );
}
