import { asObject } from "../../text/values.ts";
import { OR } from "../fetching/decode_text.ts";
import { textOf } from "../mapping/cell_text.ts";
import { knownColumn } from "../mapping/column_names.ts";
import type { FieldName } from "../mapping/fields.ts";
import type { SnapshotError } from "../snapshot_error.ts";
import { type Document, type Fields, refuse } from "./kind.ts";
import { findSignOfMore } from "./sign_of_more.ts";

interface FoundList {
  items: unknown[];
  path: readonly string[];
  /** How many fields of a release the names of its objects are. */
  fit: number;
}

/** Nobody hides a list deeper. */
export const MAX_LIST_DEPTH = 7;
/** Of several lists one is that of the releases if it has so many of their fields. */
const SURE = 3;
const MAX_ITEMS = 50;
const MAX_KEYS = 5_000;

/**
 * The list of releases in a document, wherever it lies: the only list of objects, or the one that has
 * the most names of a release's fields. An object of objects is a list, with its keys as a column.
 *
 * @returns null if there is none, and the places of those that may be it if there are several
 */
export function findList(
  document: Fields,
): { items: unknown[]; about: Fields } | { places: string[] } | null {
  const lists = listsIn(document, []);
  const found = lists.length > 0 ? lists : keyedIn(document, []);
  const [best, second] = found.toSorted((one, other) => other.fit - one.fit);
  if (best === undefined || found.length > 1 && best.fit < SURE) return null;
  if (second?.fit === best.fit) {
    const tied = found.filter(({ fit }) => fit === best.fit);
    return { places: tied.map(({ path }) => `/${path.join("/")}`) };
  }
  return { items: best.items, about: without(document, best.path) };
}

function listsIn(value: unknown, path: readonly string[]): FoundList[] {
  if (Array.isArray(value)) {
    const isList = value.length > 0 && value.every((one) => asObject(one) !== null);
    return isList ? [{ items: value, path, fit: fitOf(value) }] : [];
  }
  const fields = asObject(value);
  if (fields === null || path.length > MAX_LIST_DEPTH) return [];
  return Object.entries(fields).flatMap(([key, inner]) => listsIn(inner, [...path, key]));
}

/** Objects that are alike under the keys of another: by their ids, or by their versions. */
function keyedIn(value: unknown, path: readonly string[]): FoundList[] {
  const fields = asObject(value);
  if (fields === null || path.length > MAX_LIST_DEPTH) return [];
  const entries = Object.entries(fields).filter(([, one]) => one !== null);
  const inner = entries.map(([, one]) => asObject(one));
  const first = Object.keys(inner[0] ?? {});
  const areAlike = entries.length > 1 && entries.length <= MAX_KEYS &&
    inner.every((one) => one !== null && first.some((key) => Object.hasOwn(one, key)));
  const below = entries.flatMap(([key, one]) => keyedIn(one, [...path, key]));
  if (!areAlike) return below;
  const isNamed = inner.some((one) => fieldsNamedIn([one]).has("feature_name"));
  const items = entries.map(([key], at) => ({ [isNamed ? "key" : "name"]: key, ...inner[at] }));
  return [{ items, path, fit: fitOf(items) }, ...below];
}

function fitOf(items: readonly unknown[]): number {
  const names = fieldsNamedIn(items.slice(0, MAX_ITEMS));
  // People and places have names and ids; few things have a status or a day.
  return names.size + Number(names.has("release_status")) + Number(names.has("release_date"));
}

/** The fields that the keys of some objects name, one level down as well. */
function fieldsNamedIn(items: readonly unknown[]): Set<FieldName> {
  const names = new Set(
    items.flatMap((item) =>
      Object.entries(asObject(item) ?? {}).flatMap(([key, value]) => {
        const inner = asObject(value);
        return inner && textOf(inner) === null ? Object.keys(inner) : [key];
      })
    ),
  );
  const known = [...names].map((name) => knownColumn(name)?.field);
  return new Set(known.filter((field) => field !== undefined));
}

/** A document without the value at a path, for what it says of other pages. */
function without(document: Fields, [key, ...path]: readonly string[]): Fields {
  if (key === undefined) return {};
  const { [key]: inner, ...rest } = document;
  return path.length === 0 ? rest : { ...rest, [key]: without(asObject(inner) ?? {}, path) };
}

/**
 * The items of a document, and what is said beside them: an array of items, of which nothing is said,
 * or an object with a list of them under one of some keys (interface specification, 2.2 to 2.4).
 *
 * @throws {SnapshotError} if it has no list, or more than one
 */
export function listIn(
  value: unknown,
  lists: readonly string[],
  document: Pick<Document, "shown">,
): { items: unknown[]; about: Fields } {
  if (Array.isArray(value)) return { items: value, about: {} };
  const fields = asObject(value) ?? {};
  const found = Object.entries(fields).filter((entry): entry is [string, unknown[]] =>
    lists.includes(entry[0]) && Array.isArray(entry[1])
  );
  const [list, other] = found.filter(([, items]) => items.length > 0);
  // With several lists it is unclear which one is the roadmap.
  if (list && other) {
    throw refuse(
      document,
      `both its "${list[0]}" and its "${other[0]}" are lists: keep only the one with the releases`,
    );
  }
  const [key, items] = list ?? found[0] ?? [];
  if (key === undefined) throw refuseShape(fields, lists, document);
  return { items: items!, about: without(fields, [key]) };
}

function refuseShape(
  fields: Fields,
  lists: readonly string[],
  document: Pick<Document, "shown">,
): SnapshotError {
  const names = OR.format(lists.map((list) => `"${list}"`));
  const sign = findSignOfMore(fields);
  const more = sign && `; with ${sign.shown} it may be one page of more as well: see ` +
      '"One page of more" in docs/sources.md';
  const [deep] = listsIn(fields, []).toSorted((one, two) => two.items.length - one.items.length);
  const pointer = deep?.path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  const place = pointer
    ? `; name the place of its list, {"items": ${JSON.stringify(pointer.join(""))}}` +
      (more ? "" : ', and how its pages are followed, if it has several ("pages")')
    : "";
  return refuse(
    document,
    `it is neither an array of items nor an object whose ${names} is one${place}${more ?? ""}`,
  );
}

/** Where an entry of a list of values has its name, and where its value. */
const VALUE_KEYS = ["name", "date", "text", "number", "value", "title"];

/** An item whose values stand in a list, each with the name of its field, has them as columns too. */
export function withNamedValues(item: unknown): unknown {
  const fields = asObject(item) ?? {};
  const values = Object.values(fields).flatMap((value) => {
    const list = Array.isArray(value) ? value : asObject(value)?.nodes;
    return Array.isArray(list) ? list.map(namedValue).filter((one) => one !== null) : [];
  });
  return values.length === 0 ? item : { ...fields, ...Object.fromEntries(values) };
}

function namedValue(entry: unknown): [name: string, value: unknown] | null {
  const fields = asObject(entry);
  const name = textOf(asObject(fields?.field) ?? asObject(fields?.column));
  const key = VALUE_KEYS.find((key) => (fields?.[key] ?? null) !== null);
  return name === null || key === undefined ? null : [name, fields![key]];
}
