import { AsyncCache } from "../work/async_cache.ts";
import type { Connection } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import { readSourceReadings, type SourceReading } from "./source_readings_sql.ts";

/** When the sources were last read: every page says so, and it is read once for each state of the data. */
export class SourceReadings {
  readonly #cache = new AsyncCache<SourceReading[]>({ max: 2 });

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: Pick<DataVersion, "current">,
  ) {}

  read(): Promise<SourceReading[]> {
    return this.#cache.get(
      String(this.dataVersion.current),
      () => readSourceReadings(this.database),
    );
  }
}
