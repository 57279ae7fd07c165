import { Board } from "../quarters/board.tsx";
import { Search, type SearchProps } from "./search.tsx";
import type { Views } from "../quarters/quarter_view.ts";
import { Timeline } from "../quarters/timeline.tsx";

const VIEWS: Views = { board: Board, timeline: Timeline };

/** The search with its list and its views by quarter. */
export function SearchByQuarter(props: SearchProps) {
  return <Search {...props} views={VIEWS} />;
}
