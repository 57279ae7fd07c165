import { DataCache } from "../database/data_cache.ts";
import type { Connection } from "../database/database.ts";
import { connectAsOf } from "../roadmap/as_of/as_of_sql.ts";
import { readListedOptions } from "../roadmap/filter/filter_options_sql.ts";
import { ItemCache } from "../roadmap/item_cache.ts";
import { readItems } from "../roadmap/items_sql.ts";
import { Selections } from "../roadmap/selections.ts";
import type { Services } from "./services.ts";

/** What the roadmap is read from: as it is today, or as it was known on a day. */
export interface RoadmapServices extends Pick<Services, "selections" | "items" | "listedOptions"> {
  readonly database: Connection;
  /** Null: words are searched as substrings. */
  readonly semantic: Services["semantic"];
  readonly related: Services["related"];
  /** The day from which look-backs are counted. */
  readonly clock: () => Date;
}

/** They keep what one response needs, and go with it. */
const BYTES = 16 * 1024 * 1024;

/**
 * The roadmap as it was known at the end of a day `YYYY-MM-DD`; without one, as it is. The past is
 * searched by words only, since meanings are those of today's texts.
 */
export function roadmapAsOf(services: Services, day: string | undefined): RoadmapServices {
  if (day === undefined) return services;
  const database = connectAsOf(services.database, day);
  const unchanging = { current: 0 };
  const dataCache = new DataCache(unchanging);
  return {
    database,
    selections: new Selections(database, unchanging, BYTES),
    items: new ItemCache(
      (ids) => readItems(connectAsOf(services.database, day, ids), ids),
      unchanging,
      BYTES,
    ),
    listedOptions: dataCache.reader("listed options", () => readListedOptions(database)),
    semantic: null,
    related: null,
    clock: () => new Date(`${day}T00:00:00Z`),
  };
}
