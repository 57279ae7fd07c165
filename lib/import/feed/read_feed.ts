import { runInWorker, WorkerLimitError } from "../../work/run_in_worker.ts";
import { SnapshotError } from "../snapshot_error.ts";

/** An entry of a feed; dates are `YYYY-MM-DD`, texts are Markdown. */
export interface FeedEntry {
  /** Null: the feed states neither an id nor a link. */
  id: string | null;
  title: string | null;
  link: string | null;
  description: string | null;
  category: string[];
  author: string | null;
  published: string | null;
  updated: string | null;
}

/** A feed in any of its formats. */
export interface Feed {
  title: string | null;
  /** Each id once, in the order of the feed. */
  entries: FeedEntry[];
}

/** In characters; feeds have the newest entries only. */
const MAX_LENGTH = 32_000_000;
/** A feed of 2 MB with 1,900 entries takes less than a second. */
const LIMITS = { heapMb: 384, seconds: 20 };

/**
 * Reads a feed: RSS, Atom or JSON Feed.
 *
 * @throws {SnapshotError} if it is not a feed, or needs too much time or memory
 */
export async function readFeed(
  chunks: AsyncIterable<string>,
  { location, signal }: { location: string; signal?: AbortSignal },
): Promise<Feed> {
  const refuse = (reason: string) => new SnapshotError(`Cannot read ${location}: ${reason}`);
  let text = "";
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > MAX_LENGTH) {
      throw refuse(`the feed is longer than ${MAX_LENGTH / 1_000_000} million characters`);
    }
  }
  if (text.trim() === "") throw refuse("it is empty");
  try {
    const module = new URL("./feed_worker.ts", import.meta.url);
    const feed = await runInWorker<Feed | null>(module, { text, location }, { ...LIMITS, signal });
    if (feed !== null) return feed;
  } catch (error) {
    if (error instanceof WorkerLimitError) throw refuse(`reading the feed ${error.message}`);
    throw error;
  }
  const what = /^\s*<(?:!doctype html|html)\b/i.test(text) ? "it is an HTML page" : "it is";
  throw refuse(`${what}${what === "it is" ? " no" : ", not a"} valid RSS, Atom or JSON Feed`);
}
