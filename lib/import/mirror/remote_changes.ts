import { z } from "zod";
import { type Field, FIELDS } from "../../roadmap/item.ts";
import { isCalendarDate } from "../../text/dates.ts";
import { UUID } from "../../text/uuid.ts";
import type { FetchOptions } from "../reading/fetch_address.ts";
import { isAddress, openLocation } from "../reading/location.ts";
import { Timeout } from "../reading/timeout.ts";
import { SnapshotError } from "../snapshot_error.ts";

/** More than this is not taken over, in bytes over all answers; the items are read all the same. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The most bytes of an answer; descriptions may be long, and one entry always stands. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const MAX_CURSOR_LENGTH = 500;
const PAGE = 1_000;

const FIELD = z.object({
  field: z.string(),
  old: z.string().nullable(),
  new: z.string().nullable(),
});
const NAMES = z.array(z.string()).min(1);
const LISTS = { product_names: NAMES, tags: z.record(z.string(), NAMES) };

/** Whether a change of products or tags holds them as JSON. */
function holdsLists({ field, old, new: now }: z.output<typeof FIELD>): boolean {
  if (field !== "product_names" && field !== "tags") return true;
  try {
    return [old, now].every((text) => LISTS[field].safeParse(JSON.parse(text ?? "")).success);
  } catch {
    return false;
  }
}

const ENTRY = z.object({
  date: z.string().refine(isCalendarDate),
  imported_at: z.iso.datetime().nullable(),
  kind: z.enum(["added", "changed", "removed", "restored"]),
  release_item_id: z.string().regex(UUID).transform((id) => id.toLowerCase()),
  // A later version may have fields that we do not know.
  fields: z.array(FIELD).transform((fields) =>
    fields.filter((field): field is typeof field & { field: Field } =>
      (FIELDS as readonly string[]).includes(field.field)
    )
  ).refine((fields) => fields.every((change) => holdsLists(change))),
});
const ANSWER = z.object({
  data: z.array(ENTRY).max(PAGE),
  next_after: z.string().min(1).max(MAX_CURSOR_LENGTH),
  has_more: z.boolean(),
});

/** What one import of another server changed of one item. */
export type RemoteEntry = z.output<typeof ENTRY>;

/** What another server lists of its changes. */
export interface RemoteChanges {
  /** Oldest first. */
  entries: RemoteEntry[];
  /** Where they go on the next time. */
  next: string;
  /** They begin with the first change that was ever made. */
  isWhole: boolean;
}

/**
 * Reads what has changed at another server behind a cursor, or from the beginning. Null where it
 * lists none, or more than can be taken over: then its items show what has changed.
 */
export async function readRemoteChanges(
  location: string,
  { after, ...options }: FetchOptions & { after: string | null },
): Promise<RemoteChanges | null> {
  const address = changesAddress(location);
  if (address === null) return null;
  const timeout = new Timeout(options);
  const read = (after: string | null) => readAll(address, { ...options, timeout, after });
  try {
    return await read(after);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    // It has another database now, or was put back to an earlier state.
    return after === null ? null : await read(null).catch((error) => {
      if (error instanceof SnapshotError) return null;
      throw error;
    });
  }
}

/** Where the changes are that belong to a collection; null where it is not a whole one. */
function changesAddress(location: string): URL | null {
  if (!isAddress(location)) return null;
  const url = new URL(location);
  if ([...url.searchParams.keys()].some((name) => name !== "page_size")) return null;
  url.pathname = `${url.pathname.replace(/\/api\/releases$|(?<!\/)\/+$/, "")}/api/changes`;
  return url;
}

async function readAll(
  address: URL,
  { after, ...options }: FetchOptions & { timeout: Timeout; after: string | null },
): Promise<RemoteChanges> {
  const remote: RemoteChanges = { entries: [], next: after ?? "", isWhole: after === null };
  let left = MAX_BYTES;
  for (let hasMore = true; hasMore;) {
    // With `wait` no cache in between gives an older answer.
    const query = new URLSearchParams({ limit: String(PAGE), wait: "1", after: remote.next });
    address.search = `?${query}`;
    const text = await readText(address, Math.min(left, MAX_RESPONSE_BYTES), options);
    left -= text.length;
    const { data, next_after, has_more } = parse(text);
    if (has_more && next_after === remote.next) {
      throw new SnapshotError("its cursor does not advance");
    }
    for (const entry of data) remote.entries.push(entry);
    remote.next = next_after;
    hasMore = has_more;
  }
  return remote;
}

/** @throws {SnapshotError} where it cannot be read, is too long, or comes from another origin */
async function readText(
  { href, origin }: URL,
  maxBytes: number,
  options: FetchOptions & { timeout: Timeout },
): Promise<string> {
  const delivery = await openLocation(href, options);
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of delivery?.chunks ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new SnapshotError("it has too many changes");
    if (new URL(delivery!.address).origin !== origin) {
      throw new SnapshotError("its next page is elsewhere");
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function parse(text: string): z.output<typeof ANSWER> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SnapshotError("its changes are not JSON");
  }
  const { success, data } = ANSWER.safeParse(value);
  if (!success) throw new SnapshotError("its changes have another format");
  return data;
}
