import { dirname, isAbsolute, join } from "node:path";
import type { SourceKind } from "../../config/source_kinds.ts";
import { decode, isSecretHeader, SECRET_NAME } from "../../text/secrets.ts";
import { isAddress, showLocation } from "../fetching/location.ts";
import { parseJiraLocation } from "../kinds/jira.ts";
import { type JsonApi, PLACE } from "../kinds/json_api.ts";
import { kindOfTracker } from "../kinds/known_kinds.ts";
import type { Mapping } from "../mapping/fields.ts";
import type { SourceEntry } from "./source_config.ts";
import { type ClientCredentialsEntry, mapTexts } from "./source_secrets.ts";

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
  /** The language of its texts (BCP 47). */
  readonly language?: string;
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
const PARAMETERS = /([?&]([^?=&#]+)=)([^&#]+)/g;

/** Keeps a secret that stands at a key of an entry, and returns what stands for it. */
type Keep = (use: string, value: string, key: "from" | "headers" | "body") => string;

/** An entry of a file of ROADMAP_CONFIG with `env:NAME` for each secret that stands in it. */
export function withoutSecretsIn(entry: Readonly<Record<string, unknown>>): WrittenEntry {
  const { name, from } = entry as { name: string; from: string };
  const given = Object(entry.headers) as Record<string, string>;
  const isLogin = Boolean(URL.parse(from)?.password) && given.Authorization === undefined;
  const written = isLogin ? { ...entry, headers: { ...given, Authorization: "" } } : entry;
  const values = new Map<string, string>();
  const { headers, body, ...others } = hideSecretsIn(written, (use, value) => {
    const isTaken = (variable: string) => (values.get(variable) ?? value) !== value;
    const variable = freeVariableFor(name, use, isTaken);
    values.set(variable, value);
    return `env:${variable}`;
  });
  return {
    ...mapTexts(others, showLocation) as WrittenEntry,
    ...body !== undefined && { body },
    ...headers !== undefined && { headers },
  };
}

/** An entry whose secrets in its address, its headers and its body are kept elsewhere. */
export function hideSecretsIn(entry: WrittenEntry, keep: Keep): WrittenEntry {
  const { from, headers, body } = entry;
  const isOpen = (value: unknown): value is string =>
    typeof value === "string" && !value.startsWith("env:");
  const hideIn = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(hideIn);
    if (part === null || typeof part !== "object") return part;
    const shown = Object.entries(part).map(([name, value]) => {
      const isSecret = SECRET_NAME.test(name) && isOpen(value) && value !== "" &&
        !value.includes(PLACE);
      return [name, isSecret ? keep(name, value, "body") : hideIn(value)];
    });
    return Object.fromEntries(shown);
  };
  const named = Object.entries(Object(headers) as WrittenEntry).map(([name, value]) => [
    name,
    isSecretHeader(name) && isOpen(value) ? keep(name, value, "headers") : value,
  ]);
  return {
    ...entry,
    ...typeof from === "string" && {
      from: from.replace(
        PARAMETERS,
        (all, before: string, name: string, value: string) =>
          SECRET_NAME.test(name) && isOpen(value)
            ? before + keep(name, decode(value), "from")
            : all,
      ),
    },
    ...named.length > 0 && { headers: Object.fromEntries(named) },
    ...body !== undefined && { body: hideIn(body) },
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

/** The variable for a secret of a source, numbered where another secret has it. */
export function freeVariableFor(
  name: string,
  secret: string,
  isTaken: (variable: string) => boolean,
): string {
  const wanted = variableFor(name, secret);
  let variable = wanted;
  for (let next = 2; isTaken(variable); next++) variable = `${wanted}_${next}`;
  return variable;
}
