import type { Config } from "../config.ts";
import type { Connection } from "../database/database.ts";
import { siteFor } from "../roadmap/sites.ts";
import { queueWithin } from "./queue_digests.ts";

/**
 * What an import does in its own transaction for those who want to hear of changes at once: queues
 * their digests. Undefined where only the command sends.
 */
export function tellAtOnce(
  config: Config,
  clock: () => Date,
): ((connection: Connection) => Promise<unknown>) | undefined {
  if (config.digestTimes === null) return undefined;
  return (connection) =>
    queueWithin(connection, {
      now: clock(),
      variantFor: (name) => siteFor(name, config).variant,
      cadences: ["immediate"],
    });
}
