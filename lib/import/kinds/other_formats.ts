import { quote, shorten } from "../../text/phrases.ts";
import { isAddress } from "../fetching/location.ts";
import type { SnapshotError } from "../snapshot_error.ts";
import { type Document, refuse } from "./kind.ts";

/** A name, a colon and a value, as a list or not, in a line of its own. */
const YAML_LINE =
  /^\s{0,99}(?:- {1,9})?(?:[\p{L}_][\p{L}\p{N}_ .-]{0,60}|"[^"\n]{1,60}" {0,9}):(?:\s|$)/u;
const TOML_LINE =
  /^\s*(?:\[{1,2}[\p{L}\p{N}_."' -]{1,80}\]{1,2}\s*(?:#.*)?$|[\p{L}\p{N}_."'-]{1,60}\s*=\s*\S)/u;
const ORG_LINE = /^(?:\*+ \S|#\+\w+:|\|)/;
/** Lines that say nothing of the format. */
const COMMENT = /^\s*(?:#(?!\+)|---\s*$|\.\.\.\s*$|%YAML|$)/;
const LINES_READ = 20;

const LINES = [["YAML", YAML_LINE], ["TOML", TOML_LINE], ["an Org file", ORG_LINE]] as const;
const CALL =
  /^(?:\/\*[^]{0,200}?\*\/|\/\/[^\n]{0,200})?\s{0,99}([\p{L}_$][\p{L}\p{N}_$.]{0,99})\s{0,99}\(/u;

/**
 * What a text is that is not JSON, and what to do with it; null: it is written as JSON is.
 *
 * ```ts
 * const texts = ["- a: 1\n  b: 2", "[a]\nb = 1", "* TODO a", 'load({"a": 1})', '{"a": True}'];
 * const found = texts.map((text) => nameFormat(text, { shown: "a" })?.split(/[:,]/)[0]);
 * if (found.join() !== "it is YAML,it is TOML,it is an Org file,it is a call of \"load\" (JSONP),") throw new Error(found.join());
 * ```
 */
export function nameFormat(text: string, { shown }: Pick<Document, "shown">): string | null {
  const name = CALL.exec(text.trimStart())?.[1];
  if (name !== undefined) {
    const isSheet = name.startsWith("google.visualization");
    const advice = isSheet
      ? 'use "tqx=out:csv" in its address, or save the sheet as CSV'
      : isAddress(shown)
      ? "use the address without its callback"
      : "delete what stands around the JSON";
    return `it is a call of ${quote(name)} (JSONP), not JSON: ${advice}`;
  }
  const lines = text.split("\n", 200).filter((line) => !COMMENT.test(line)).slice(0, LINES_READ);
  const found = LINES.find(([, line]) =>
    lines.length > 0 && line.test(lines[0]!) &&
    lines.filter((one) => line.test(one)).length * 2 >= lines.length
  );
  return found ? `it is ${found[0]}, not JSON, NDJSON or CSV: save it as JSON or CSV` : null;
}

/** Refuses markup in place of data: often the page of a login, or of a spreadsheet. */
export function refuseMarkup(text: string, document: Pick<Document, "shown">): SnapshotError {
  const what = /^\s*<\?xml/.test(text) ? "XML" : "an HTML page";
  const advice = isAddress(document.shown)
    ? "use the address of the data itself, one that needs no login"
    : "save its table as CSV or as a spreadsheet (.xlsx)";
  return refuse(document, `it is ${what}, not JSON, NDJSON or CSV: ${advice}`);
}

/** What a program wrote before the XML of its feed, often a warning; null: nothing. */
export function textBeforeFeed(text: string): string | null {
  const begin = text.slice(0, 4_000).search(/<(?:\?xml\s|(?:rss|feed|rdf:RDF)[\s>])/);
  const before = text.slice(0, Math.max(0, begin)).trim();
  const said = before.replace(/<[^<>]*>/g, " ").trim();
  const isPage = /<(?:!doctype|html|head|body)\b/i.test(before) || /^[[{<]\s*["?!]/.test(before);
  return said === "" || isPage ? null : shorten(said.replace(/\s+/g, " "), 80);
}
