import { Search, type SearchProps } from "./search.tsx";
import type { Views } from "../quarters/quarter_view.ts";

const VIEWS: Views = {};

/** The search with its list; views by quarter are pages of their own, which few need at once. */
export function SearchList(props: SearchProps) {
  return <Search {...props} views={VIEWS} />;
}
