import { DatabaseAway } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import { type Building, dayOf, type Keeper } from "./keeper.ts";
import type { Entry, Memory } from "./memory.ts";
import { type Kept, represent } from "./representation.ts";
import { SingleFlight } from "../single_flight.ts";

/**
 * Keeps an answer for as long as neither the data nor the UTC day has changed. While the database
 * is away, what was kept goes on being served as stale (RFC 5861, section 4).
 */
export class VersionKeeper implements Keeper {
  readonly #building = new SingleFlight<Kept>();

  constructor(
    private readonly memory: Memory,
    private readonly dataVersion: DataVersion,
    private readonly clock: () => Date,
  ) {}

  peek(key: string): Kept | null {
    const entry = this.memory.get(key);
    if (!entry) return null;
    const stale = this.dataVersion.isAway;
    return stale || this.#isCurrent(entry) ? { representation: entry.representation, stale } : null;
  }

  async get(key: string, building: Building): Promise<Kept> {
    const kept = this.peek(key);
    if (kept) return kept;
    const { current } = this.dataVersion;
    const day = dayOf(this.clock().getTime());
    const flight = `${current} ${day} ${key}`;
    const build = () => this.#build(key, building);
    const { client } = building;
    const built = await this.#building.run(flight, build);
    if ((built.onlyFor ?? client) === client) return built;
    return this.peek(key) ?? await this.#building.run(`${flight} ${client}`, build);
  }

  async #build(key: string, { cacheControl, build }: Building): Promise<Kept> {
    const { current: version } = this.dataVersion;
    const now = this.clock();
    try {
      const content = await build();
      const representation = represent(content, cacheControl, now);
      const { onlyFor } = content;
      if (onlyFor !== undefined) {
        return { representation, stale: this.dataVersion.isAway, onlyFor };
      }
      const lifetime = content.shortLived ? content.shortLived.seconds * 1000 : Infinity;
      const builtAt = now.getTime();
      this.memory.set(key, {
        representation,
        version,
        day: dayOf(builtAt),
        builtAt,
        expiresAt: builtAt + lifetime,
      });
      return { representation, stale: this.dataVersion.isAway };
    } catch (error) {
      const old = this.memory.get(key);
      if (error instanceof DatabaseAway && old) {
        return { representation: old.representation, stale: true };
      }
      throw error;
    }
  }

  #isCurrent({ version, day, expiresAt }: Entry): boolean {
    const now = this.clock().getTime();
    return version === this.dataVersion.current && day === dayOf(now) && now < expiresAt;
  }
}
