import type { Connection } from "../../database/database.ts";
import { filterPairs } from "../../roadmap/filter/filter_values.ts";
import { formatPairs } from "../../roadmap/collection.ts";
import type { Variant } from "../../roadmap/variant.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";
import { type Covering, readDueReleases } from "./pending_changes_sql.ts";
import { describeDueItem, DUE_TITLES, type DueSection, MAX_DUE_ITEMS } from "./due_section.ts";

/** The most that are listed on the page of a digest where no other page shows them. */
const MAX_ON_PAGE = 100;

/** What comes up and what is overdue of what a group covers, for those who want it. */
export async function readDueSections(
  connection: Connection,
  group: Covering & Pick<Preferences, "upcoming">,
  { variant, today }: { variant: Variant; today: string },
): Promise<DueSection[]> {
  if (!group.upcoming) return [];
  const sections: DueSection[] = [];
  for (const period of Object.keys(DUE_TITLES) as DueSection["period"][]) {
    const query = queryOf(group, period);
    const limit = query === null ? MAX_ON_PAGE : MAX_DUE_ITEMS;
    const { items, total } = await readDueReleases(connection, group, { period, today, limit });
    if (total === 0) continue;
    sections.push({
      period,
      items: items.map((item) => describeDueItem(item, variant)),
      total,
      query,
    });
  }
  return sections;
}

/** Says in a query what a group covers, neither more nor less; null where no query can. */
function queryOf(
  { scope, filter, releases }: Covering,
  period: DueSection["period"],
): string | null {
  if (scope === "all") return formatPairs([["due", period]]);
  const { kind: _, q = [], due = [], ...lists } = filter;
  if (scope === "watched" || releases.length + due.length > 0 || q.length > 1) return null;
  const search = q.length > 0 ? { q: q[0], match: "words" } : {};
  return formatPairs(filterPairs({ ...lists, due: period, ...search }));
}
