import { dirname, isAbsolute, join } from "node:path";
import type { SourceKind } from "../../config/settings.ts";
import { isSecretHeader, SECRET_NAME } from "../../text/secrets.ts";
import { isAddress, showLocation } from "../fetching/location.ts";
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
  /** Minutes between imports. */
  readonly everyMinutes: number;
  readonly fields?: Mapping;
  /** The sheet of a spreadsheet. */
  readonly sheet?: string;
  readonly encoding?: string;
  readonly api?: JsonApi;
  /** As its entry has them: a value may be `env:NAME`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: ClientCredentialsEntry;
  /** The address of a feed whose posts announce its releases. */
  readonly announcements?: string;
  /**
   * What stands for each `env:NAME`, of a source that operators added; absent: the variables of the
   * environment.
   */
  readonly secrets?: Readonly<Record<string, string>>;
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

/** The parameters of an address: all up to the value, the name, and the value. */
export const PARAMETERS = /([?&]([^=&#]+)=)([^&#]+)/g;

/** An entry of a file of ROADMAP_CONFIG with `env:NAME` for each secret that stands in it. */
export function withoutSecretsIn(entry: Readonly<Record<string, unknown>>): WrittenEntry {
  const { name, from } = entry as { name: string; from: string };
  const { Authorization, ...given } = Object(entry.headers) as Record<string, string>;
  const hasLogin = Boolean(URL.parse(from)?.password);
  const headers = {
    ...given,
    ...Authorization !== undefined && { Authorization },
    ...hasLogin && Authorization === undefined && { Authorization: "" },
  };
  const names = Object.entries(headers).map(([header, value]) => [
    header,
    isSecretHeader(header) && !value.startsWith("env:")
      ? `env:${variableFor(name, header)}`
      : value,
  ]);
  const named = from.replace(
    PARAMETERS,
    (all, before: string, parameter: string, value: string) =>
      SECRET_NAME.test(parameter) && !value.startsWith("env:")
        ? `${before}env:${variableFor(name, parameter)}`
        : all,
  );
  const { body, ...others } = entry;
  return {
    ...showAddresses(others) as WrittenEntry,
    from: showLocation(named),
    ...body !== undefined && { body: hideValues(body, name) },
    ...names.length > 0 && { headers: Object.fromEntries(names) },
  };
}

/** What is written in JSON, with each address as it may be shown. */
function showAddresses(written: unknown): unknown {
  if (typeof written === "string") return showLocation(written);
  if (Array.isArray(written)) return written.map(showAddresses);
  if (written === null || typeof written !== "object") return written;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [name, showAddresses(value)]),
  );
}

/** The body of a request, with `env:NAME` for each value whose name is that of a secret. */
function hideValues(body: unknown, source: string): unknown {
  if (Array.isArray(body)) return body.map((part) => hideValues(part, source));
  if (body === null || typeof body !== "object") return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const isShown = typeof value !== "string" || value.startsWith("env:") ||
        !SECRET_NAME.test(name);
      return [name, isShown ? hideValues(value, source) : `env:${variableFor(source, name)}`];
    }),
  );
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

/**
 * The variable for a secret of a source.
 *
 * ```ts
 * if (variableFor("Our plans", "X-Api-Key") !== "OUR_PLANS_X_API_KEY") throw new Error();
 * if (variableFor("計画", "Authorization") !== "SOURCE_AUTHORIZATION") throw new Error();
 * ```
 */
export function variableFor(name: string, secret: string): string {
  const plain = (text: string) =>
    text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().replace(/[^A-Z0-9]+/g, "_")
      .replace(/^_|_$/g, "");
  const ofName = plain(name).slice(0, 60) || "SOURCE";
  return `${/^\d/.test(ofName) ? "_" : ""}${ofName}_${plain(secret)}`;
}
