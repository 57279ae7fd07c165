import type { FetchOptions } from "../fetching/fetch_address.ts";
import type { Validators } from "../fetching/delivery.ts";
import { openLocation, showLocation } from "../fetching/location.ts";
import { Timeout } from "../fetching/timeout.ts";
import { documentOf, runReadJob } from "../read_source.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { collectBytes } from "../fetching/collect_bytes.ts";
import type { FoundPost } from "./posts_in.ts";

const WHOLE_MS = 120_000;
/** A feed has the newest posts only. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What a feed of announcements has now. */
export interface ReadPosts {
  posts: FoundPost[];
  validators: Validators | null;
}

/**
 * Reads the posts of a feed; null if it has not changed.
 *
 * @throws {SnapshotError} that says why it cannot be read
 */
export async function readPosts(
  address: string,
  { privateHosts = [], ...options }: FetchOptions & { privateHosts?: readonly string[] },
): Promise<ReadPosts | null> {
  const shown = showLocation(address);
  const timeout = new Timeout({ wholeMs: WHOLE_MS, ...options });
  const delivery = await openLocation(address, { ...options, timeout });
  if (delivery === null) return null;
  const { validators } = delivery;
  const bytes = await collectBytes(delivery.chunks, MAX_BYTES, () => {
    throw new SnapshotError(`Cannot read ${shown}: the feed is larger than 32 MB`);
  });
  const document = documentOf(delivery, { shown, bytes });
  const outcome = await runReadJob(
    { posts: { shown, document, privateHosts } },
    { shown, signal: options.signal },
  );
  if (!("posts" in outcome)) throw new Error("The worker has read no posts");
  return { posts: outcome.posts, validators };
}
