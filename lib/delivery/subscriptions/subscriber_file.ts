import papaparse from "papaparse";
import { z } from "zod";
import { ExpectedError } from "../../expected_error.ts";
import {
  filterOf,
  PREFERENCE_NAMES,
  type PreferenceLists,
  type Scope,
  SCOPES,
} from "../../roadmap/filter/preference_lists.ts";
import { unguardCell } from "../../text/csv.ts";
import { quote, shorten } from "../../text/phrases.ts";
import { parseJson } from "../../text/values.ts";
import { parseEmailAddress } from "./email_address.ts";
import type { RequestedPreferences } from "./subscription_requests_sql.ts";
import { PREFERENCES, scopeOf } from "./subscription_request.ts";

/** More is no list of subscribers. */
const MAX_ROWS = 500_000;
/** Of the cells of a column so many have to be addresses. */
const SHARE = 0.5;

/** What a file of subscribers says. */
export interface SubscriberFile {
  subscribers: {
    /** As a spreadsheet counts it. */
    row: number;
    /** As `parseEmailAddress` returns it. */
    email: string;
    preferences: RequestedPreferences;
    /** `A` or `B`, where the file says so. */
    variant: string | null;
  }[];
  /** How many rows have an address of a row before. */
  repeated: number;
  /** How many the file itself says to leave alone, by what it says of them. */
  leftOut: Map<string, number>;
  /** Rows that cannot be read. */
  problems: { row: number; reason: string }[];
}

/** A file that is no list of subscribers; the message says why. */
export class SubscriberFileError extends ExpectedError {}

/**
 * Reads the export of another service, a plain list of addresses, or what
 * `deno task subscriptions --export` wrote. The columns are found by their values and names.
 *
 * @throws {SubscriberFileError}
 */
export function readSubscriberFile(text: string): SubscriberFile {
  const { header, rows } = readTable(text);
  const column = findEmailColumn(header, rows);
  const leavesAlone = findStates(header, rows);
  const wishes = new Map(
    WISHES.map((name) => [name, header.indexOf(name)] as const).filter(([, column]) => column >= 0),
  );
  const isOurs = header.includes("email") && header.includes("requested_at");
  const file: SubscriberFile = { subscribers: [], repeated: 0, leftOut: new Map(), problems: [] };
  const seen = new Set<string>();
  for (const { row, cells } of rows) {
    const given = isOurs ? cells.map(unguardCell) : cells;
    const { address: email, reason } = parseEmailAddress(bareAddress(given[column] ?? ""));
    if (email === undefined) {
      file.problems.push({
        row,
        reason: `the address ${quote(shorten(given[column] ?? "", 60))} ${reason}`,
      });
      continue;
    }
    if (seen.has(email)) {
      file.repeated++;
      continue;
    }
    seen.add(email);
    const said = leavesAlone(given);
    if (said !== null) {
      file.leftOut.set(said, (file.leftOut.get(said) ?? 0) + 1);
      continue;
    }
    const { preferences, variant, reason: wrong } = readWishes(given, wishes);
    if (wrong === undefined) file.subscribers.push({ row, email, preferences, variant });
    else file.problems.push({ row, reason: wrong });
  }
  return file;
}

interface Row {
  row: number;
  cells: string[];
}

/** The names of the columns, in lower case, and the rows that are not empty. */
function readTable(text: string): { header: string[]; rows: Row[] } {
  if (/^\s*[<{[]/.test(text) || text.includes("\0")) {
    throw new SubscriberFileError("This is no list of subscribers: it takes a CSV file");
  }
  const { data, errors } = papaparse.parse<string[]>(text, { delimiter: findDelimiter(text) });
  const broken = errors.find(({ type }) => type === "Quotes");
  if (broken) {
    throw new SubscriberFileError(
      `Row ${
        (broken.row ?? 0) + 1
      } of the file has a quotation mark that does not end: check it there`,
    );
  }
  const rows = data.map((cells, place) => ({ row: place + 1, cells: cells.map((c) => c.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  if (rows.length > MAX_ROWS) {
    throw new SubscriberFileError(
      `The file has ${rows.length.toLocaleString("en")} rows, more than ${
        MAX_ROWS.toLocaleString("en")
      }: split it`,
    );
  }
  // A plain list has no header, and may be a single line.
  const isAddress = (cell: string) => cell === "" || isLikeAddress(cell);
  if (rows.length > 0 && rows.every(({ cells }) => cells.every(isAddress))) {
    return {
      header: [""],
      rows: rows.flatMap(({ row, cells }) =>
        cells.filter((cell) => cell !== "").map((cell) => ({ row, cells: [cell] }))
      ),
    };
  }
  const [first, ...others] = rows;
  if (first === undefined) throw new SubscriberFileError("The file is empty");
  return first.cells.some(isLikeAddress)
    ? { header: first.cells.map(() => ""), rows }
    : { header: first.cells.map((name) => name.toLowerCase()), rows: others };
}

/** What stands in most of the first lines. */
function findDelimiter(text: string): string {
  const lines = text.slice(0, 10_000).split(/\r\n|\r|\n/).slice(0, 20);
  const linesWith = (delimiter: string) => lines.filter((line) => line.includes(delimiter)).length;
  return [",", ";", "\t", "|"].reduce((best, other) =>
    linesWith(other) > linesWith(best) ? other : best
  );
}

/** `Ann <ann@example.com>` without the name. */
function bareAddress(cell: string): string {
  return /<([^<>]+)>\s*$/.exec(cell)?.[1] ?? cell.replace(/^mailto:/i, "");
}

function isLikeAddress(cell: string): boolean {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(bareAddress(cell));
}

/** The column of the addresses: by its values, and of several by its name. */
function findEmailColumn(header: readonly string[], rows: readonly Row[]): number {
  const found = header.keys().filter((column) => {
    const cells = rows.map(({ cells }) => cells[column] ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.filter(isLikeAddress).length >= SHARE * cells.length;
  }).toArray();
  const named = found.filter((column) =>
    /^(?:subscriber )?e-?mail(?:[ _]?address)?$/.test(header[column]!)
  );
  const [column, another] = named.length > 0 ? named : found;
  if (column === undefined) {
    throw new SubscriberFileError("No column of the file has email addresses");
  }
  if (another === undefined) return column;
  const names = [column, another].map((place) => header[place] || `column ${place + 1}`);
  throw new SubscriberFileError(
    `Two columns of the file have email addresses, ${
      names.map((name) => `"${name}"`).join(" and ")
    }: remove one of them, or call the right one "email"`,
  );
}

/** What a column of states says of somebody who gets emails. */
const SUBSCRIBED =
  /^(?:subscribed|active|enabled|confirmed|verified|opted[- _]?in|regular|premium|yes|true|1)$/i;
/** How states, and the names of columns, begin that say that somebody gets none. */
const LEFT =
  /^(?:email_?)?(?:un(?:sub|conf|act|verif|deliv)|opt(?:ed)?[- _]?out|bounc|clean|compl?ain|spam|block|suppress|remov|delet|disabl|inactive|churn|junk|invalid|pending|abuse|cancel)/i;
const STATE_NAME = /^(?:(?:email|subscriber|subscription|marketing)[ _-]?)?(?:state|status)$/;
const CONSENT_NAME = /^(?:is_?)?(?:subscribed|opt(?:ed)?[- _]?in|consent)/;
const NO = /^(?:no|n|false|f|0|never|-)?$/i;
/** A column with more different values is no state. */
const MAX_STATES = 20;

/** What finds in a row why somebody is not to be written to, in words; null: nothing says so. */
function findStates(
  header: readonly string[],
  rows: readonly Row[],
): (cells: readonly string[]) => string | null {
  const states = header.keys().filter((column) => STATE_NAME.test(header[column]!)).toArray();
  const checks = header.map((name, column) => {
    if (states.includes(column)) {
      return (cell: string) => cell === "" || SUBSCRIBED.test(cell) ? null : cell.toLowerCase();
    }
    // A table with states may keep moments of the past beside them, as ours does.
    if (states.length > 0) return () => null;
    if (CONSENT_NAME.test(name)) return (cell: string) => NO.test(cell) ? `not ${name}` : null;
    if (LEFT.test(name)) return (cell: string) => NO.test(cell) ? null : name;
    const values = new Set(rows.map(({ cells }) => cells[column] ?? ""));
    if (values.size > MAX_STATES || ![...values].some((value) => LEFT.test(value))) {
      return () => null;
    }
    return (cell: string) => LEFT.test(cell) ? cell.toLowerCase() : null;
  });
  return (cells) => {
    for (const [column, check] of checks.entries()) {
      const said = check(cells[column] ?? "");
      if (said !== null) return said;
    }
    return null;
  };
}

/** What columns may say of wishes, by their names in the export. */
const WISHES = [
  ...PREFERENCE_NAMES,
  "releases",
  "cadence",
  "upcoming",
  "reminders",
  "scope",
  "variant",
] as const;

type Wish = (typeof WISHES)[number];

const READ = PREFERENCES.extend({ scope: z.enum(SCOPES).nullable() });

/** What somebody wants, of whom the file may say nothing. */
function readWishes(cells: readonly string[], wishes: ReadonlyMap<Wish, number>):
  | { preferences: RequestedPreferences; variant: string | null; reason?: undefined }
  | { preferences?: undefined; variant?: undefined; reason: string } {
  const textOf = (name: Wish) => cells[wishes.get(name) ?? -1] || null;
  const flagOf = (name: Wish) => {
    const text = textOf(name);
    return text === null ? null : !NO.test(text);
  };
  const lists = Object.fromEntries(
    ([...PREFERENCE_NAMES, "releases"] as const).map((name) => [name, listIn(textOf(name))]),
  );
  // The tags of other services are no groups of ours.
  const tags = lists.tags!.filter((tag) => /^[^:]+:./s.test(tag));
  const { data, error } = READ.safeParse({
    ...lists,
    tags,
    cadence: textOf("cadence")?.toLowerCase() ?? null,
    upcoming: flagOf("upcoming"),
    reminders: flagOf("reminders"),
    scope: textOf("scope"),
  });
  if (error) {
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    return { reason: `"${path[0]!.toString()}" ${message}` };
  }
  const { releases, cadence, upcoming, reminders, scope, ...chosen } = data;
  const filter = filterOf(chosen as PreferenceLists);
  const covers: Scope = scope === "watched" || scope === "all" && releases.length > 0
    ? scope
    : scopeOf(filter, releases);
  return {
    preferences: { scope: covers, filter, releases, cadence, upcoming, reminders },
    variant: textOf("variant"),
  };
}

/** A list as JSON, as the export has it, or divided by semicolons. */
function listIn(text: string | null): string[] {
  if (text === null) return [];
  const parsed = text.startsWith("[") ? parseJson(text) : null;
  if (Array.isArray(parsed)) return parsed.map(String);
  return text.split(";").map((value) => value.trim()).filter((value) => value !== "");
}
