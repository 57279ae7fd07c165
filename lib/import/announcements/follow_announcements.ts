import { getLogger } from "@logtape/logtape";
import type { Database } from "../../database/database.ts";
import { doWhenDue } from "../../database/leases.ts";
import { firstLineOf } from "../../expected_error.ts";
import { isoDate } from "../../text/dates.ts";
import { secretsIn, withoutSecrets } from "../../text/secrets.ts";
import { collectBytes } from "../../work/byte_streams.ts";
import { LastFailure } from "../../work/last_failure.ts";
import { hasItems } from "../apply_sql.ts";
import type { Validators } from "../fetching/delivery.ts";
import type { FetchOptions } from "../fetching/fetch_address.ts";
import { openLocation, showLocation } from "../fetching/location.ts";
import { Timeout } from "../fetching/timeout.ts";
import type { ImportOptions } from "../import_options.ts";
import { documentOf, runReadJob } from "../read_source.ts";
import type { ConfiguredSource } from "../sources/configured_source.ts";
import { announcementsScheduleOf } from "../sources/source_states_sql.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { forgetPages } from "../source_pages_sql.ts";
import { noteFeed, prunePosts, readFeeds, storePosts } from "./announcements_sql.ts";
import type { FoundPost } from "./posts_in.ts";
import { fillAnnouncements } from "./update_matches.ts";

const log = getLogger(["roadcast", "announcements"]);

const EVERY_SECONDS = 3_600;
/** A failure that persists is logged again after this time. */
const REMIND_MS = 24 * 3_600_000;

/** What following announcements needs besides the source. */
interface FollowOptions extends Pick<ImportOptions, "onChange"> {
  clock: () => Date;
  sourceUserAgent?: string;
}

/** Follows the feed of announcements of one source, by one process at a time per database. */
export class FollowedAnnouncements {
  readonly #lastFailure = new LastFailure(REMIND_MS);

  constructor(
    private readonly database: Database,
    private readonly source: ConfiguredSource & { readonly announcements: string },
    private readonly options: FollowOptions,
  ) {}

  /**
   * Reads the feed if that is due and the source has releases, and fills in what it announces;
   * returns how many releases have another announcement now.
   */
  async followIfDue(signal: AbortSignal): Promise<number> {
    const { database, source: { name } } = this;
    if (!await hasItems(database, name)) return 0;
    let filled = 0;
    const schedule = { name: announcementsScheduleOf(name), everySeconds: EVERY_SECONDS };
    await doWhenDue(database, schedule, async () => {
      await this.#readFeed(signal);
      const { clock, onChange } = this.options;
      filled = await fillAnnouncements(database, name, { asOf: isoDate(clock()), onChange });
      if (filled > 0) log.info("Announcements of {name}: {filled} changed", { name, filled });
    });
    return filled;
  }

  /** Stores the posts that the feed has now; if it cannot be read, those from before count. */
  async #readFeed(signal: AbortSignal): Promise<void> {
    const { database, source, options } = this;
    const { name, announcements: address } = source;
    const shown = { source: name, address: showLocation(address) };
    const before = (await readFeeds(database)).find((feed) => feed.source === name);
    const validators = before?.address === shown.address ? before.validators : null;
    try {
      const read = await readPosts(address, {
        validators,
        signal,
        userAgent: options.sourceUserAgent,
        privateHosts: source.fields?.private_hosts,
      });
      if (read !== null) {
        await storePosts(database, name, read.posts);
        await prunePosts(database, name);
        // Its next import finds the best post of each release.
        await forgetPages(database, name);
      }
      const feed = { ...shown, validators: read ? read.validators : validators, error: null };
      await noteFeed(database, feed);
      this.#lastFailure.end();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SnapshotError)) throw error;
      const reason = withoutSecrets(error.message, secretsIn(address));
      await noteFeed(database, { ...shown, validators, error: firstLineOf(reason) });
      if (!this.#lastFailure.isNews(reason)) return;
      log.error("Cannot read the announcements of {source}: {error}", {
        source: name,
        error: reason,
      });
    }
  }
}

const WHOLE_MS = 120_000;
/** A feed has the newest posts only. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What a feed of announcements has now. */
interface ReadPosts {
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
    { shown, signal: options.signal, secrets: secretsIn(address) },
  );
  if (!("posts" in outcome)) throw new Error("The worker has read no posts");
  return { posts: outcome.posts, validators };
}
