import {
  basicAuthorization,
  decode,
  isSecretHeader,
  SECRET_NAME,
  splitLogin,
} from "../../text/secrets.ts";
import { asObject, mapTexts, parseJson } from "../../text/values.ts";
import { PLACE } from "../kinds/json_api.ts";
import type { WrittenEntry } from "./configured_source.ts";
import type { ListedSource } from "./configured_sources.ts";
import { listVariables } from "./source_secrets.ts";

/** A secret that stands in an entry where `env:NAME` may stand for it. */
export interface FoundSecret {
  /** Its header, parameter or key. */
  readonly use: string;
  readonly value: string;
  /** `headers.X-Api-Key` */
  readonly path: string;
  /** False: a header whose name does not say so, but that may be one. */
  readonly isSure: boolean;
}

interface SecretRules {
  /** Returns what stands for a secret, or the secret where it may stay. */
  keep(secret: FoundSecret): string;
  /** Returns what stands for a text with a secret where nothing may stand for that. */
  refuse(text: string, path: string): string;
}

/**
 * An entry of a source whose secrets are taken out, wherever they stand: logins of addresses,
 * headers, and what has the name of a secret among the parameters of an address or the keys of a
 * body.
 *
 * ```ts
 * const entry = { from: "https://me:pw@example.com/?token=1", announcements: "https://a.com/?key=2" };
 * const shown = separateSecrets(entry, { keep: ({ use }) => `env:${use}`, refuse: maskSecrets });
 * const wanted = {
 *   from: "https://example.com/?token=env:token",
 *   announcements: "https://a.com/?key=…",
 *   headers: { Authorization: "env:Authorization" },
 * };
 * if (JSON.stringify(shown) !== JSON.stringify(wanted)) throw new Error(JSON.stringify(shown));
 * ```
 */
export function separateSecrets(entry: WrittenEntry, { keep, refuse }: SecretRules): WrittenEntry {
  const check = (text: string, path: string) => hasSecret(text) ? refuse(text, path) : text;
  const changeText = (value: string, path: readonly string[]): string => {
    const shown = path.join(".");
    if (shown === "from") return check(value.replace(PARAMETERS, keepParameter), shown);
    const use = path.findLast((key) => !/^\d+$/.test(key))!;
    return isOpen(value) && isSecretKey(path[0]!, use)
      ? keep({ use, value, path: shown, isSure: true })
      : check(value, shown);
  };
  const keepParameter = (all: string, before: string, name: string, value: string) =>
    SECRET_NAME.test(decode(name)) && isOpen(value)
      ? before + keep({ use: decode(name), value: decode(value), path: "from", isSure: true })
      : all;
  const changed = changeTexts(withLoginAsHeader(entry), changeText, check) as WrittenEntry;
  // The others are known by now.
  const headers = asObject(changed.headers);
  if (headers === null) return changed;
  const kept = Object.entries(headers).map(([use, value]) => {
    const isUnsure = isSecretHeader(use) && !SECRET_NAME.test(use) && isOpen(value);
    const path = `headers.${use}`;
    return [use, isUnsure ? keep({ use, value: value as string, path, isSure: false }) : value];
  });
  return { ...changed, headers: Object.fromEntries(kept) };
}

/** The parameters of an address: all up to the value, the name, and the value. */
const PARAMETERS = /([?&]([^?=&#]+)=)([^&#]+)/g;

/** Whether a text is a value itself, and neither stands for one nor for a cursor. */
function isOpen(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !value.startsWith("env:") &&
    !value.includes(PLACE);
}

function isSecretKey(top: string, key: string): boolean {
  if (top === "auth") return key === "client_secret";
  return (top === "headers" || top === "body") && SECRET_NAME.test(key);
}

/** A user and a password in the address of a source are a header, as they are when they are sent. */
function withLoginAsHeader(entry: WrittenEntry): WrittenEntry {
  if (typeof entry.from !== "string") return entry;
  const { address: from, login } = splitLogin(entry.from);
  const headers = asObject(entry.headers ?? {});
  if (login === null || headers === null) return entry;
  if (Object.keys(headers).some((name) => /^authorization$/i.test(name))) return entry;
  return { ...entry, from, headers: { ...headers, Authorization: basicAuthorization(login) } };
}

/** A copy of JSON with other texts; its keys are looked at, too. */
function changeTexts(
  value: unknown,
  change: (text: string, path: readonly string[]) => string,
  changeKey: (key: string, path: string) => string,
  path: readonly string[] = [],
): unknown {
  if (typeof value === "string") return change(value, path);
  if (typeof value !== "object" || value === null) return value;
  const changed = Object.entries(value).map(([key, one]) => [
    changeKey(key, path.join(".")),
    changeTexts(one, change, changeKey, [...path, key]),
  ]);
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

/** A user or a password of an address in any text. */
const LOGIN = /((?:^jira:|\/\/))[^\s/?#@]+@/gi;
/** A parameter in any text: all up to the value, the name, and the value. */
const ANY_PARAMETER = /((?:^|[?&#;])([^?&#;=\s{}"]+)=)([^&#;\s]+)/g;

/** A text with `…` for each login and each parameter that sounds like a secret. */
export function maskSecrets(text: string): string {
  const masked = text.replace(LOGIN, "$1…@").replace(
    ANY_PARAMETER,
    (all, before: string, name: string, value: string) =>
      SECRET_NAME.test(decode(name)) && isOpen(value) ? `${before}…` : all,
  );
  return hasSecret(masked) ? "…" : masked;
}

/** Whether a login or a parameter that sounds like a secret is in a text, also in JSON or escaped. */
function hasSecret(text: string): boolean {
  const texts = [text, decode(text)];
  const isFound = texts.some((one) =>
    one.match(LOGIN)?.some((login) => !login.endsWith("…@")) ||
    [...one.matchAll(ANY_PARAMETER)].some(([, , name, value]) =>
      SECRET_NAME.test(decode(name!)) && isOpen(value) && value !== "…"
    )
  );
  if (isFound) return true;
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  let found = false;
  changeTexts(json, (inside, path) => {
    found ||= hasSecret(inside) || isOpen(inside) && path.some((key) => SECRET_NAME.test(key));
    return inside;
  }, (key) => key);
  return found;
}

/** Every source as a file of ROADMAP_CONFIG, with an `env:NAME` of its own for each secret. */
export function writeSourcesFile(listed: readonly ListedSource[]): { sources: WrittenEntry[] } {
  const owners = new Map<string, string>();
  const nameFor = (use: string, source: string, secret: string): string => {
    const owner = JSON.stringify([source, secret]);
    const wanted = variableFor(source, use);
    let variable = wanted;
    for (let next = 2; (owners.get(variable) ?? owner) !== owner; next++) {
      variable = `${wanted}_${next}`;
    }
    owners.set(variable, owner);
    return `env:${variable}`;
  };
  for (const { source, setIn } of listed) {
    if (setIn !== "page") {
      for (const name of listVariables(source)) owners.set(name, "set there");
    }
  }
  const sources = listed.map(({ entry, source: { name }, setIn }) => {
    const written = separateSecrets(entry, {
      keep: ({ use, value }) => nameFor(use, name, value),
      refuse: maskSecrets,
    });
    if (setIn !== "page") return written;
    // Each of these sources has a SECRET.
    const own = (text: string) =>
      text.replace(/(?<=^|=)env:SECRET(?=$|[&#])/g, () => nameFor("secret", name, ""));
    return mapTexts(written, own) as WrittenEntry;
  });
  return { sources };
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
