import { z } from "zod";
import { day, parseParameters } from "../../http/requests/parameters.ts";

/** The parameter for the roadmap of a day. */
export const AS_OF_QUERY = z.object({
  as_of: day().describe(
    "The roadmap as it was known at the end of this day, by the days of its imports; `q` searches " +
      "words. Absent, or today or later: as it is now",
  ),
});

/** Reads the day before today that a request wants; absent: it wants today. */
export function parseAsOf(query: URLSearchParams, today: string): string | undefined {
  const { as_of } = parseParameters(AS_OF_QUERY, query);
  return as_of !== undefined && as_of < today ? as_of : undefined;
}
