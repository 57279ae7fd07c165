import { AsyncCache } from "../../work/async_cache.ts";
import type { Connection } from "../../database/database.ts";
import type { DataVersion } from "../../database/data_version.ts";
import type { FilterOptions } from "./filter_options.ts";
import { readListedOptions } from "./filter_options_sql.ts";
import type { ListedValues } from "./listed_values.ts";

/**
 * The values that the filters of a form list. Every page with a form needs them, and they are counted
 * over all items, so they are read once for each state of the data.
 */
export class ListedOptions {
  readonly #cache = new AsyncCache<FilterOptions<ListedValues>>({ max: 2 });

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: Pick<DataVersion, "current">,
  ) {}

  read(): Promise<FilterOptions<ListedValues>> {
    return this.#cache.get(
      String(this.dataVersion.current),
      () => readListedOptions(this.database),
    );
  }
}
