import { Board } from "../quarters/board.tsx";
import type { Views } from "../quarters/quarter_view.ts";
import { Search, type SearchProps } from "./search.tsx";

const VIEWS: Views = { board: Board };

/** The search with its list and its board. */
export function SearchBoard(props: SearchProps) {
  return <Search {...props} views={VIEWS} />;
}
