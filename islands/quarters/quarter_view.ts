import type { ComponentType } from "preact";
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

/** The components of the views beside the list that a page can show without loading another one. */
export type Views = Readonly<Record<string, ComponentType<QuarterViewProps>>>;
