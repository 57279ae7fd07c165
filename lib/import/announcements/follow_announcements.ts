import { isDeepStrictEqual } from "node:util";
import { getLogger } from "@logtape/logtape";
import type { Connection, Database } from "../../database/database.ts";
import { doWhenDue } from "../../database/leases.ts";
import { firstLineOf } from "../../expected_error.ts";
import { secretsIn, withoutSecrets } from "../../text/secrets.ts";
import { collectBytes } from "../../work/byte_streams.ts";
import { LastFailure } from "../../work/last_failure.ts";
import { hasItems } from "../apply_sql.ts";
import type { FetchOptions, Validators } from "../fetching/fetch_address.ts";
import { openLocation, showLocation } from "../fetching/location.ts";
import { Timeout } from "../fetching/timeout.ts";
import { documentOf, runReadJob } from "../read_source.ts";
import type { ConfiguredSource } from "../sources/configured_source.ts";
import { REMIND_MS } from "../sources/scheduled_import.ts";
import { announcementsScheduleOf } from "../sources/source_states_sql.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { noteFeed, prunePosts, readFeeds, readPosts, storePosts } from "./announcements_sql.ts";
import type { FoundPost } from "./posts_in.ts";
import { matchAgain } from "./update_matches.ts";

const log = getLogger(["roadcast", "announcements"]);

const EVERY_SECONDS = 3_600;

/** Follows the feed of announcements of one source, by one process at a time per database. */
export class FollowedAnnouncements {
  readonly #lastFailure = new LastFailure(REMIND_MS);

  constructor(
    private readonly database: Database,
    private readonly source: ConfiguredSource & { readonly announcements: string },
    private readonly options: Pick<FetchOptions, "userAgent" | "allowsPrivate"> = {},
  ) {}

  /**
   * Reads the feed if that is due and the source has releases; returns whether it has other posts
   * now. Then the next import is due, and gives the releases their posts.
   */
  async followIfDue(signal: AbortSignal): Promise<boolean> {
    const { database, source: { name } } = this;
    if (!await hasItems(database, name)) return false;
    let isOther = false;
    const schedule = { name: announcementsScheduleOf(name), everySeconds: EVERY_SECONDS };
    await doWhenDue(database, schedule, async () => {
      isOther = await this.#readFeed(signal);
      if (isOther) log.info("The announcements of {name} have other posts", { name });
    });
    return isOther;
  }

  /** Stores the posts that the feed has now; if it cannot be read, those from before count. */
  async #readFeed(signal: AbortSignal): Promise<boolean> {
    const { database, source, options } = this;
    const { name, announcements: address } = source;
    const shown = { source: name, address: showLocation(address) };
    const before = (await readFeeds(database)).find((feed) => feed.source === name);
    const validators = before?.address === shown.address ? before.validators : null;
    try {
      const read = await fetchPosts(address, {
        ...options,
        validators,
        signal,
        privateHosts: source.fields?.private_hosts,
      });
      const feed = { ...shown, validators: read ? read.validators : validators, error: null };
      const isOther = await database.transaction(async (connection) => {
        await noteFeed(connection, feed);
        return read !== null && await keepPosts(connection, name, read.posts);
      });
      this.#lastFailure.end();
      return isOther;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SnapshotError)) throw error;
      const reason = withoutSecrets(error.message, secretsIn(address));
      await noteFeed(database, { ...shown, validators, error: firstLineOf(reason) });
      if (this.#lastFailure.isNews(reason)) {
        const shown = { source: name, error: reason };
        log.error("Cannot read the announcements of {source}: {error}", shown);
      }
      return false;
    }
  }
}

/** Stores the posts of a feed; returns whether they are others than before, and the import is due. */
async function keepPosts(
  connection: Connection,
  source: string,
  posts: readonly FoundPost[],
): Promise<boolean> {
  const before = await readPosts(connection, source);
  await storePosts(connection, source, posts);
  await prunePosts(connection, source);
  if (isDeepStrictEqual(await readPosts(connection, source), before)) return false;
  await matchAgain(connection, source);
  return true;
}

const MAX_FEED_MS = 120_000;
/** A feed has the newest posts only. */
const MAX_FEED_BYTES = 32 * 1024 * 1024;

/**
 * Reads the posts of a feed; null if it has not changed.
 *
 * @throws {SnapshotError} that says why it cannot be read
 */
export async function fetchPosts(
  address: string,
  { privateHosts = [], ...options }: FetchOptions & { privateHosts?: readonly string[] },
): Promise<{ posts: FoundPost[]; validators: Validators | null } | null> {
  const shown = showLocation(address);
  const timeout = new Timeout({ wholeMs: MAX_FEED_MS, ...options });
  const delivery = await openLocation(address, { ...options, timeout });
  if (delivery === null) return null;
  const { validators } = delivery;
  const bytes = await collectBytes(delivery.chunks, MAX_FEED_BYTES, () => {
    throw new SnapshotError(`Cannot read ${shown}: the feed is larger than 32 MB`);
  });
  const document = documentOf(delivery, { shown, bytes });
  const outcome = await runReadJob(
    { posts: { shown, document, privateHosts } },
    { shown, signal: options.signal, secrets: secretsIn(address) },
  );
  if (!("posts" in outcome)) throw new Error("The worker has read no posts");
  return { posts: outcome.posts, validators };
}
