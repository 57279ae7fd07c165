import type { SearchAnswer } from "../search/search_answer.ts";
import type { SearchQuery } from "../search/search_query.ts";

/** What a view by quarter shows. */
export interface QuarterViewProps {
  path: string;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}
