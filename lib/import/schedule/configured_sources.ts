import { dirname, isAbsolute, join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { type Config, ConfigError, MB } from "../../config/config.ts";
import type { SourceKind } from "../../config/settings.ts";
import type { Mapping } from "../mapping/fields.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "../import_options.ts";
import type { SourceSettings } from "../kinds/kind.ts";
import { type ClientCredentialsEntry, fillSecrets } from "./source_secrets.ts";
import { parseSources } from "./source_config.ts";
import type { JsonApi } from "../kinds/json_api.ts";
import { kindOfTracker } from "../kinds/known_kinds.ts";
import { isAddress } from "../fetching/location.ts";
import { readJsonFile } from "../fetching/read_json_file.ts";

const log = getLogger(["roadcast", "sync"]);

/** A source that is imported on a schedule. */
export interface ConfiguredSource {
  readonly name: string;
  /** An address, a file, or a tracker, such as `github:owner/repository`. */
  readonly from: string;
  /** Null: recognised by the content. */
  readonly kind: SourceKind | null;
  /** Minutes between imports. */
  readonly everyMinutes: number;
  readonly fields?: Mapping;
  /** The sheet of a spreadsheet. */
  readonly sheet?: string;
  readonly encoding?: string;
  readonly api?: JsonApi;
  /** As the file has them: a value may be `env:NAME`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: ClientCredentialsEntry;
  /** The address of a feed whose posts announce its releases. */
  readonly announcements?: string;
}

type Settings = Pick<
  Config,
  "ROADMAP_SOURCE" | "ROADMAP_SOURCE_KIND" | "ROADMAP_CONFIG" | "ROADMAP_SYNC_MINUTES"
>;

/** The configured sources, as last read. */
export class ConfiguredSources {
  #current: readonly ConfiguredSource[];

  private constructor(private readonly config: Settings, current: readonly ConfiguredSource[]) {
    this.#current = current;
  }

  /** @throws {ConfigError} that lists every mistake, a line each */
  static async read(config: Settings): Promise<ConfiguredSources> {
    return new ConfiguredSources(config, await readSources(config));
  }

  get current(): readonly ConfiguredSource[] {
    return this.#current;
  }

  /** Reads the file again; if it has mistakes, nothing changes. A source that is the same stays. */
  async reload(): Promise<void> {
    const before = new Map(this.#current.map((source) => [JSON.stringify(source), source]));
    try {
      const read = await readSources(this.config);
      this.#current = read.map((source) => before.get(JSON.stringify(source)) ?? source);
    } catch (error) {
      log.error("Cannot reload the sources, keeping the current ones: {error}", {
        error: (error as Error).message,
      });
      return;
    }
    const known = [...before.values()];
    log.info("Reloaded the sources: {started} started, {ended} stopped, {count} in total", {
      started: this.#current.filter((source) => !known.includes(source)).map(({ name }) => name),
      ended: known.filter((source) => !this.#current.includes(source)).map(({ name }) => name),
      count: this.#current.length,
    });
  }
}

async function readSources(config: Settings): Promise<ConfiguredSource[]> {
  const {
    ROADMAP_SOURCE: source,
    ROADMAP_SOURCE_KIND: sourceKind,
    ROADMAP_CONFIG: sourcesFile,
    ROADMAP_SYNC_MINUTES: syncMinutes,
  } = config;
  if (sourcesFile !== null) return await readFile(sourcesFile, syncMinutes);
  if (source === null) return [];
  return [{ name: DEFAULT_SOURCE, from: source, kind: sourceKind, everyMinutes: syncMinutes }];
}

async function readFile(path: string, syncMinutes: number): Promise<ConfiguredSource[]> {
  const shown = `ROADMAP_CONFIG ${path}`;
  const { file, mistakes } = parseSources(await readJsonFile(path, shown, ConfigError));
  if (file === null) {
    throw new ConfigError(
      [`Cannot use ${shown}:`, ...mistakes.map((line) => `  ${line}`)].join("\n"),
    );
  }
  return file.sources.map((entry) => {
    const { every_minutes, fields, private_hosts, items, pages, method, body, ...source } = entry;
    const hasApi = [items, pages, method, body].some((key) => key !== undefined);
    const kind = source.kind ?? (hasApi ? "json" : kindOfTracker(source.from));
    return {
      ...source,
      ...hasApi && { api: { items, pages, method, body } },
      from: isAddress(source.from) || kindOfTracker(source.from) || isAbsolute(source.from)
        ? source.from
        : join(dirname(path), source.from),
      kind,
      everyMinutes: every_minutes ?? syncMinutes,
      ...(fields || private_hosts) && {
        fields: { ...fields, ...private_hosts && { private_hosts } },
      },
    };
  });
}

/** What the configuration says of every import. */
type ImportSettings =
  & SourceSettings
  & Pick<Config, "ROADMAP_MAX_MB" | "SOURCE_USER_AGENT">;

/**
 * How a configured source is imported.
 *
 * @throws {SnapshotError} if it needs an environment variable that is not set
 * @throws {AccessTokenError} if its token server gives no token
 */
export async function importOptions(
  settings: ImportSettings,
  source: ConfiguredSource,
): Promise<Omit<ImportOptions, "asOf">> {
  const { name: sourceName, kind, fields, sheet, encoding } = source;
  return {
    ...commonOptions(settings),
    sourceName,
    kind,
    fields,
    sheet,
    encoding,
    ...await fillSecrets(source),
  };
}

/** How any source is read. */
export function commonOptions(settings: ImportSettings): Omit<ImportOptions, "asOf"> {
  return {
    maxBytes: settings.ROADMAP_MAX_MB * MB,
    settings,
    userAgent: settings.SOURCE_USER_AGENT,
  };
}
