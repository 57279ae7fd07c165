import type { Connection } from "../../database/database.ts";
import { listsOf } from "../../roadmap/filter/preference_lists.ts";
import { findProductsWith, findUnknown } from "../subscriptions/unknown_values_sql.ts";
import type { WebhookFilter } from "./webhook.ts";

/** Says which values of a webhook's filter no release has now, and which may be meant; null: none. */
export async function describeUnknown(
  connection: Connection,
  filter: WebhookFilter,
): Promise<string | null> {
  const unknown = await findUnknown(connection, listsOf(filter));
  if (unknown === null) return null;
  const meant = await findProductsWith(connection, unknown.products ?? []);
  const values = Object.values(unknown).flat().map((value) => {
    const product = meant.get(value);
    return `"${value}"` + (product === undefined ? "" : ` (did you mean "${product}"?)`);
  });
  return `No release has ${values.join(", ")} now; it is sent once one does`;
}
