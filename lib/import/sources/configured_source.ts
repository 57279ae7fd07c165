import { dirname, isAbsolute, join } from "node:path";
import type { SourceKind } from "../../config/source_kinds.ts";
import { isAddress } from "../fetching/location.ts";
import { parseJiraLocation } from "../kinds/jira.ts";
import type { JsonApi } from "../kinds/json_api.ts";
import { kindOfTracker } from "../kinds/known_kinds.ts";
import type { Mapping } from "../mapping/fields.ts";
import type { SourceEntry } from "./source_config.ts";
import type { ClientCredentialsEntry } from "./source_secrets.ts";

/** A source that is imported on a schedule. */
export interface ConfiguredSource {
  readonly name: string;
  /** An address, a file, or a tracker, such as `github:owner/repository`. */
  readonly from: string;
  /** Null: recognised by the content. */
  readonly kind: SourceKind | null;
  readonly everyMinutes: number;
  readonly fields?: Mapping;
  readonly sheet?: string;
  readonly encoding?: string;
  readonly language?: string;
  readonly api?: JsonApi;
  /** As its entry has them: a value may be `env:NAME`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: ClientCredentialsEntry;
  readonly announcements?: string;
  /**
   * What stands for each `env:NAME`, of a source that operators added; absent: the variables of the
   * environment.
   */
  readonly secrets?: Readonly<Record<string, string>>;
  /** An operator added it at /admin/sources, so only the settings can allow it a private address. */
  readonly isAddedOnPage?: true;
}

/** A source by its entry; `file` is the one that has the entry, and its paths are relative to it. */
export function configure(
  entry: SourceEntry,
  { syncMinutes, file }: { syncMinutes: number; file?: string },
): ConfiguredSource {
  const { every_minutes, fields, private_hosts, items, pages, method, body, ...source } = entry;
  const hasApi = [items, pages, method, body].some((key) => key !== undefined);
  const { from } = source;
  const isFile = !isAddress(from) && kindOfTracker(from) === null && !isAbsolute(from);
  return {
    ...source,
    ...hasApi && { api: { items, pages, method, body } },
    from: isFile && file !== undefined ? join(dirname(file), from) : from,
    kind: source.kind ?? (hasApi ? "json" : kindOfTracker(from)),
    everyMinutes: every_minutes ?? syncMinutes,
    ...(fields || private_hosts) && {
      fields: { ...fields, ...private_hosts && { private_hosts } },
    },
  };
}

/** An entry as a person writes it. */
export type WrittenEntry = Record<string, unknown>;

/**
 * The servers that get what a source is asked with: that of its address, or its tracker, and the one
 * that gives its access tokens.
 *
 * ```ts
 * const found = ["https://example.com/a?b", "jira:example.com/WEB", "github:acme/app"]
 *   .flatMap((from) => originsOf({ name: "plans", from }));
 * if (found.join(" ") !== "https://example.com jira:https://example.com github:") throw new Error(found.join());
 * ```
 */
export function originsOf({ from, auth }: Pick<SourceEntry, "name" | "from" | "auth">): string[] {
  const tracker = kindOfTracker(from);
  const own = tracker === "jira"
    ? `jira:${URL.parse(parseJiraLocation(from)?.base ?? "")?.origin}`
    : tracker !== null
    ? `${tracker}:`
    : URL.parse(from)?.origin ?? from;
  const tokens = auth && new URL(auth.client_credentials.token_url).origin;
  return tokens === undefined ? [own] : [own, tokens];
}
