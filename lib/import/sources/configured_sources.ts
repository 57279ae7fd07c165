import { isDeepStrictEqual } from "node:util";
import { getLogger } from "@logtape/logtape";
import { type Config, ConfigError, MB } from "../../config/config.ts";
import type { Connection } from "../../database/database.ts";
import { readJsonFile } from "../fetching/read_json_file.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "../import_options.ts";
import type { SourceSettings } from "../kinds/kind.ts";
import { configure, type ConfiguredSource, type WrittenEntry } from "./configured_source.ts";
import { parseSource, parseSources, type SourceEntry } from "./source_config.ts";
import { fillSecrets } from "./source_secrets.ts";
import { hasStoredSources, listStoredSources, type StoredSource } from "./stored_sources_sql.ts";

const log = getLogger(["roadcast", "sync"]);

type Settings = Pick<
  Config,
  "ROADMAP_SOURCE" | "ROADMAP_SOURCE_KIND" | "ROADMAP_CONFIG" | "ROADMAP_SYNC_MINUTES"
>;

/** A source, and where it was set. */
export interface ListedSource {
  readonly source: ConfiguredSource;
  /** As a person wrote it, or would in a file of ROADMAP_CONFIG. */
  readonly entry: WrittenEntry;
  /** `page`: an operator added it at /admin/sources. */
  readonly setIn: "ROADMAP_CONFIG" | "ROADMAP_SOURCE" | "page";
  readonly isPaused: boolean;
  /** The configuration has a source of this name, which is imported instead. */
  readonly isShadowed: boolean;
}

/** The sources of the configuration and those that operators added, as last read. */
export class ConfiguredSources {
  #listed: readonly ListedSource[] = [];
  #current: readonly ConfiguredSource[] = [];
  #stored: readonly StoredSource[] = [];
  #onChange = () => {};

  private constructor(
    private readonly config: Settings,
    private configured: readonly ListedSource[],
  ) {
    this.#list();
  }

  /**
   * Reads those of the configuration.
   *
   * @throws {ConfigError} that lists every mistake, a line each
   */
  static async read(config: Settings): Promise<ConfiguredSources> {
    return new ConfiguredSources(config, await readSources(config));
  }

  /** Those that are imported on a schedule. */
  get current(): readonly ConfiguredSource[] {
    return this.#current;
  }

  /** All of them, also those that are paused. */
  get listed(): readonly ListedSource[] {
    return this.#listed;
  }

  /** Those of a name: at most one of the configuration, which then counts, and one of the page. */
  find(
    name: string,
  ): Readonly<Record<"configured" | "stored" | "counted", ListedSource | null>> {
    const named = this.#listed.filter(({ source }) => source.name === name);
    const configured = named.find(({ setIn }) => setIn !== "page") ?? null;
    const stored = named.find(({ setIn }) => setIn === "page") ?? null;
    return { configured, stored, counted: configured ?? stored };
  }

  /** Calls back after each reading that changed which sources there are, or how they are read. */
  onChange(changed: () => void): void {
    this.#onChange = changed;
  }

  /** Reads the file again; if it has mistakes, nothing changes. A source that is the same stays. */
  async reload(): Promise<void> {
    const before = this.#current;
    try {
      this.configured = await readSources(this.config);
    } catch (error) {
      log.error("Cannot reload the sources, keeping the current ones: {error}", {
        error: (error as Error).message,
      });
      return;
    }
    this.#list();
    this.#logChanges(before);
    this.#onChange();
  }

  /** Reads those that operators added, also at another process. */
  async readStored(connection: Connection): Promise<void> {
    const stored = await listStoredSources(connection);
    if (isDeepStrictEqual(stored, this.#stored)) return;
    const before = this.#current;
    this.#stored = stored;
    this.#list();
    this.#logChanges(before);
    this.#onChange();
  }

  #list(): void {
    const names = new Set(this.configured.map(({ source }) => source.name));
    const before = new Map(
      this.#listed.map(({ source }) => [JSON.stringify(source), source]),
    );
    const all = [
      ...this.configured,
      ...this.#stored.flatMap((stored): ListedSource[] => {
        const source = configureStored(stored, this.config);
        if (source === null) return [];
        const { name, entry, is_paused: isPaused } = stored;
        return [{
          source,
          entry: { name, ...entry },
          setIn: "page",
          isPaused,
          isShadowed: names.has(name),
        }];
      }),
    ];
    this.#listed = all.map((one) => ({
      ...one,
      source: before.get(JSON.stringify(one.source)) ?? one.source,
    }));
    this.#current = this.#listed.filter(({ isPaused, isShadowed }) => !isPaused && !isShadowed)
      .map(({ source }) => source);
  }

  #logChanges(before: readonly ConfiguredSource[]): void {
    const current = this.#current;
    log.info("Reloaded the sources: {started} started, {ended} stopped, {count} in total", {
      started: current.filter((source) => !before.includes(source)).map(({ name }) => name),
      ended: before.filter((source) => !current.includes(source)).map(({ name }) => name),
      count: current.length,
    });
  }
}

/**
 * All sources, as a command needs them.
 *
 * @param database null: only those of the configuration are known
 * @throws {ConfigError} that lists every mistake of the configuration
 */
export async function readAllSources(
  config: Settings,
  database: Connection | null,
): Promise<ConfiguredSources> {
  const sources = await ConfiguredSources.read(config);
  // An older schema has none.
  if (database && await hasStoredSources(database)) await sources.readStored(database);
  return sources;
}

/** A source that an operator added; null where a later version no longer takes it. */
function configureStored(
  { name, entry, secrets }: StoredSource,
  { ROADMAP_SYNC_MINUTES: syncMinutes }: Settings,
): ConfiguredSource | null {
  const { source, mistakes } = parseSource({ name, ...entry });
  if (source) return configureAdded(source, secrets, syncMinutes);
  log.error("Cannot use the source {name} of /admin/sources: {mistakes}", { name, mistakes });
  return null;
}

/** A source that an operator adds, with the secret that was entered for its server. */
export function configureAdded(
  entry: SourceEntry,
  secrets: Readonly<Record<string, string>>,
  syncMinutes: number,
): ConfiguredSource {
  return { ...configure(entry, { syncMinutes }), secrets, isAddedOnPage: true };
}

async function readSources(config: Settings): Promise<ListedSource[]> {
  const {
    ROADMAP_SOURCE: from,
    ROADMAP_SOURCE_KIND: kind,
    ROADMAP_CONFIG: sourcesFile,
    ROADMAP_SYNC_MINUTES: syncMinutes,
  } = config;
  if (sourcesFile !== null) return await readSourcesFile(sourcesFile, syncMinutes);
  if (from === null) return [];
  const name = DEFAULT_SOURCE;
  const entry = { name, from, ...kind && { kind }, every_minutes: syncMinutes };
  const source = { name, from, kind, everyMinutes: syncMinutes };
  return [{ source, entry, setIn: "ROADMAP_SOURCE", isPaused: false, isShadowed: false }];
}

async function readSourcesFile(path: string, syncMinutes: number): Promise<ListedSource[]> {
  const shown = `ROADMAP_CONFIG ${path}`;
  const json = await readJsonFile(path, shown, ConfigError);
  const { file, mistakes } = parseSources(json);
  if (file === null) {
    throw new ConfigError(
      [`Cannot use ${shown}:`, ...mistakes.map((line) => `  ${line}`)].join("\n"),
    );
  }
  const { sources } = json as { sources: WrittenEntry[] };
  return file.sources.map((entry, place) => ({
    source: configure(entry, { syncMinutes, file: path }),
    entry: { ...sources[place], name: entry.name },
    setIn: "ROADMAP_CONFIG",
    isPaused: false,
    isShadowed: false,
  }));
}

/** What the configuration says of every import. */
export type ImportSettings =
  & SourceSettings
  & Pick<Config, "ROADMAP_MAX_MB" | "SOURCE_USER_AGENT" | "SOURCE_ALLOW_PRIVATE">;

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
  const { name: sourceName, kind, fields, sheet, encoding, language } = source;
  const allowsPrivate = mayBePrivate(source, settings);
  return {
    ...commonOptions(settings),
    sourceName,
    kind,
    fields,
    sheet,
    encoding,
    language,
    allowsPrivate,
    ...await fillSecrets(source, { allowsPrivate }),
  };
}

/** Whether the addresses of a source may be others than public ones. */
export function mayBePrivate(
  { isAddedOnPage }: Pick<ConfiguredSource, "isAddedOnPage">,
  { SOURCE_ALLOW_PRIVATE }: Pick<Config, "SOURCE_ALLOW_PRIVATE">,
): boolean {
  return !isAddedOnPage || SOURCE_ALLOW_PRIVATE;
}

/** How any source is read. */
export function commonOptions(settings: ImportSettings): Omit<ImportOptions, "asOf"> {
  return {
    maxBytes: settings.ROADMAP_MAX_MB * MB,
    settings,
    userAgent: settings.SOURCE_USER_AGENT,
  };
}
