import { Timeline } from "../quarters/timeline.tsx";
import type { Views } from "../quarters/quarter_view.ts";
import { Search, type SearchProps } from "./search.tsx";

const VIEWS: Views = { timeline: Timeline };

/** The search with its list and its timeline. */
export function SearchTimeline(props: SearchProps) {
  return <Search {...props} views={VIEWS} />;
}
