import { countOf } from "../../lib/text/count_of.ts";
import type { SearchAnswer } from "./search_answer.ts";
import { type FilterName, NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import { filterQuery, isNarrowed, type SearchQuery, withoutFilter } from "./search_query.ts";
import { searchLink } from "./search_link.ts";

/** The filters that can be taken off, by their first parameter. */
const FILTERS: Partial<Record<FilterName, string>> = {
  product_name: "product",
  release_type: "type",
  release_status: "status",
  tag: "tag",
  source: "source",
  release_date_from: "date",
  modified_within_days: "modification",
};

function withoutFilters(query: SearchQuery, names: readonly FilterName[]): SearchQuery {
  const none = Object.fromEntries(names.map((name) => [name, NO_FILTER[name]]));
  return { ...query, ...none, page: 1 };
}

interface NothingProps {
  path: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}

/** Says why there is no release to show, and leads on. */
export function Nothing({ path, query, answer, onPick }: NothingProps) {
  const { total, totalPages, without = [] } = answer;
  const link = (wanted: SearchQuery, words: string) => (
    <a {...searchLink(path, wanted, () => onPick(wanted))}>
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
          <strong>No releases found.</strong>{" "}
          {without.length > 0 ? "There are some with fewer filters:" : "Try different words."}
        </p>
        {without.length > 0 && (
          <ul>
            {without.map(({ names, count }) => (
              <li key={names[0]}>
                {link(
                  withoutFilters(query, names),
                  `Without the ${FILTERS[names[0]!]} filter: ${countOf(count, "release")}`,
                )}
              </li>
            ))}
          </ul>
        )}
        <p>
          {link(withoutFilter(query), "Show all releases")} or{" "}
          <a href={`${path}/subscribe${filterQuery(query)}`}>follow this search</a>{" "}
          to hear when something comes.
        </p>
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
