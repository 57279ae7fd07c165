import { countOf } from "../../lib/text/count_of.ts";
import type { SearchAnswer } from "./search_answer.ts";
import { isNarrowed, searchAddress, type SearchQuery, withoutFilter } from "./search_query.ts";
import { staysHere } from "../stays_here.ts";

interface NothingProps {
  path: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}

/** Says why there is no release to show, and leads on. */
export function Nothing({ path, query, answer: { total, totalPages }, onPick }: NothingProps) {
  const link = (wanted: SearchQuery, words: string) => (
    <a
      href={searchAddress(path, wanted)}
      onClick={staysHere(() => onPick(wanted))}
    >
      {words}
    </a>
  );
  if (total > 0) {
    return (
      <div class="notice">
        <p>
          No releases on this page. The list has {countOf(totalPages, "page")}.
        </p>
        {link({ ...query, page: totalPages }, "Go to the last page")}
      </div>
    );
  }
  if (isNarrowed(query)) {
    return (
      <div class="notice">
        <p>
          <strong>No releases found.</strong> Try different words or fewer filters.
        </p>
        {link(withoutFilter(query), "Show all releases")}
      </div>
    );
  }
  return (
    <div class="notice">
      <p>
        <strong>No releases yet.</strong> The roadmap is empty.
      </p>
    </div>
  );
}
