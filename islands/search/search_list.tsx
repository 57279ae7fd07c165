import { Search, type SearchProps, type Views } from "./search.tsx";

const VIEWS: Views = {};

/** The search with its list; views by quarter are pages of their own, which few need at once. */
export function SearchList(props: SearchProps) {
  return <Search {...props} views={VIEWS} />;
}
