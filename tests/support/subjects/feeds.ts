import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { XMLParser } from "fast-xml-parser";
import ICAL from "ical.js";
import { RelaxNGValidator, XmlDocument } from "libxml2-wasm";
import type { TestApp } from "../app.ts";
import jsonFeedSchema from "../../fixtures/json_feed.schema.json" with { type: "json" };

/** A feed as read from any of the formats. */
export interface ReadFeed {
  title: string;
  page: string;
  self: string;
  updated: string | undefined;
  entries: ReadEntry[];
}

export interface ReadEntry {
  id: string;
  url: string;
  title: string;
  /** `YYYY-MM-DD` */
  modified: string;
  categories: string[];
  content: string;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => ["item", "entry", "category", "link"].includes(String(name)),
  processEntities: { enabled: true, maxTotalExpansions: Infinity, maxExpandedLength: Infinity },
});

const ATOM_GRAMMAR = new URL("../../fixtures/atom.rng", import.meta.url);
const atomGrammar = XmlDocument.fromString(Deno.readTextFileSync(ATOM_GRAMMAR));
const atomValidator = RelaxNGValidator.fromDoc(atomGrammar);

const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
const validateJsonFeed = ajv.compile(jsonFeedSchema);

async function readText(app: TestApp, path: string, mediaType: string): Promise<string> {
  const response = await app.fetch(path);
  assertEquals([path, response.status], [path, 200]);
  assertEquals(response.headers.get("content-type"), `${mediaType}; charset=utf-8`);
  const bytes = await response.bytes();
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Fetches an RSS feed, and expects it to be well-formed. */
export async function readRss(app: TestApp, path: string): Promise<ReadFeed> {
  const text = await readText(app, path, "application/rss+xml");
  XmlDocument.fromString(text).dispose();
  const { channel } = parser.parse(text).rss;
  return {
    title: channel.title,
    page: channel.link[0],
    self: channel["atom:link"]["@_href"],
    updated: channel.lastBuildDate && isoDay(channel.lastBuildDate),
    // deno-lint-ignore no-explicit-any
    entries: (channel.item ?? []).map((item: any) => ({
      id: item.guid["#text"],
      url: item.link[0],
      title: item.title,
      modified: isoDay(item.pubDate),
      categories: item.category,
      content: item.description,
    })),
  };
}

/** Fetches an Atom feed, and expects it to match the grammar of RFC 4287. */
export async function readAtom(app: TestApp, path: string): Promise<ReadFeed> {
  const text = await readText(app, path, "application/atom+xml");
  const document = XmlDocument.fromString(text);
  atomValidator.validate(document);
  document.dispose();
  const { feed } = parser.parse(text);
  const linkOf = (links: Record<string, string>[], rel: string) =>
    links.find((link) => link["@_rel"] === rel)!["@_href"]!;
  return {
    title: feed.title,
    page: linkOf(feed.link, "alternate"),
    self: linkOf(feed.link, "self"),
    updated: feed.updated.slice(0, 10),
    // deno-lint-ignore no-explicit-any
    entries: (feed.entry ?? []).map((entry: any) => ({
      id: entry.id,
      url: linkOf(entry.link, "alternate"),
      title: entry.title,
      modified: isoDay(entry.updated),
      categories: entry.category.map((category: Record<string, string>) => category["@_term"]),
      content: entry.content["#text"],
    })),
  };
}

/** Fetches a JSON Feed, and expects it to match version 1.1. */
export async function readJsonFeed(app: TestApp, path: string): Promise<ReadFeed> {
  const feed = JSON.parse(await readText(app, path, "application/feed+json"));
  assertEquals([validateJsonFeed(feed), validateJsonFeed.errors], [true, null]);
  return {
    title: feed.title,
    page: feed.home_page_url,
    self: feed.feed_url,
    updated: feed.items[0]?.date_modified.slice(0, 10),
    // deno-lint-ignore no-explicit-any
    entries: feed.items.map((item: any) => ({
      id: item.id,
      url: item.url,
      title: item.title,
      modified: isoDay(item.date_modified),
      categories: item.tags,
      content: item.content_html,
    })),
  };
}

/** A calendar with its text and its events. */
export interface ReadCalendar {
  text: string;
  calendar: ICAL.Component;
  events: ICAL.Component[];
}

/** Fetches a calendar, and expects its lines to match RFC 5545. */
export async function readCalendar(app: TestApp, path: string): Promise<ReadCalendar> {
  const text = await readText(app, path, "text/calendar");
  assert(text.endsWith("\r\n"), "it ends with a line break");
  for (const line of text.slice(0, -2).split("\r\n")) {
    const { length } = new TextEncoder().encode(line);
    assert(length <= 75, `a line has ${length} octets: ${line}`);
    // RFC 5545, section 3.1: no control character but the tab.
    // deno-lint-ignore no-control-regex
    assert(/^[^\u0000-\u0008\u000a-\u001f\u007f]+$/.test(line), JSON.stringify(line));
  }
  const calendar = new ICAL.Component(ICAL.parse(text));
  assert(calendar.getAllSubcomponents().length > 0, "it has a component");
  return { text, calendar, events: calendar.getAllSubcomponents("vevent") };
}

/** The texts of a component's property; the parser does not unescape those of RFC 7986. */
export function valuesOf(component: ICAL.Component, name: string): string[] {
  return component.getAllProperties(name).flatMap((property) =>
    property.getValues().map((value) =>
      property.type === "unknown" ? unescapeText(String(value)) : String(value)
    )
  );
}

/** RFC 5545, section 3.3.11. */
function unescapeText(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_, mark: string) => /n/i.test(mark) ? "\n" : mark);
}

function isoDay(moment: string): string {
  const date = new Date(moment);
  assertEquals(date.getTime() % 86_400_000, 0);
  return date.toISOString().slice(0, 10);
}
