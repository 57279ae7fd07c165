import { SnapshotError } from "./mapping/snapshot_item.ts";
import type { Removals } from "./removals_sql.ts";

/** An import would remove too much; nothing was stored. */
export class RefusedRemovals extends SnapshotError {
  override name = "SnapshotError";

  constructor(message: string, readonly removals: Removals) {
    super(message);
  }
}
