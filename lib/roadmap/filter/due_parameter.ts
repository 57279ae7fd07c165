import { texts } from "../../http/parameters.ts";
import { DUE_PERIODS, type DuePeriod, isDuePeriod } from "./due.ts";

/** The parameter that asks for changes of releases that are due now; repeated: in any period. */
export function duePeriods() {
  return texts()
    .refine((values = []) => values.every(isDuePeriod), `must be one of ${DUE_PERIODS.join(", ")}`)
    .transform((values) => values as DuePeriod[] | undefined)
    .optional()
    .meta({ items: { enum: [...DUE_PERIODS] } })
    .describe(
      "Only of releases that are neither shipped nor stopped now, and `overdue`, or planned for " +
        "today or for one of the next 7, 30 or 90 days; repeat to match any of several",
    );
}
