import type { Connection } from "../../database/database.ts";
import { removeSchedule } from "../../database/leases.ts";
import { json, sql } from "../../database/sql.ts";
import type { Validators } from "../fetching/fetch_address.ts";
import { announcementsScheduleOf } from "../sources/source_states_sql.ts";
import {
  type AnnouncedRelease,
  indexPosts,
  MAX_POSTS,
  type Post,
  type PostFinder,
} from "./match_posts.ts";

/** What is known of a feed of announcements. */
export interface AnnouncementFeed {
  source: string;
  address: string;
  validators: Validators | null;
  error: string | null;
}

interface StoredRelease extends AnnouncedRelease {
  blog_title: string | null;
  blog_url: string | null;
}

const RELEASE = sql`
  release_item_id::text as release_item_id, feature_name, release_type, blog_title, blog_url
`;

/** The feeds that have been read, by source. */
export function readFeeds(connection: Connection): Promise<AnnouncementFeed[]> {
  return connection.query(sql`
    select source, address, validators, error from announcement_feeds order by source
  `);
}

/** Records how a feed was read; what is not given stays. */
export async function noteFeed(
  connection: Connection,
  { source, address, validators, error }: AnnouncementFeed,
): Promise<void> {
  await connection.query(sql`
    insert into announcement_feeds (source, address, validators, read_at, error)
    values (
      ${source}, ${address}, ${json(validators)}, now(), ${error}::text
    )
    on conflict (source) do update set
      address = excluded.address, validators = excluded.validators, read_at = excluded.read_at,
      error = excluded.error
  `);
}

/** Stores posts; one that is known keeps its address, and the releases that it linked to. */
export async function storePosts(
  connection: Connection,
  source: string,
  posts: readonly Omit<Post, "rejected">[],
): Promise<void> {
  await connection.query(sql`
    insert into announcement_posts (source, post_key, url, title, headings, published, linked)
    select ${source}, post_key, url, title, headings, published, linked
    from jsonb_to_recordset(${json(posts)}) as post (
      post_key text, url text, title text, headings text[], published date, linked uuid[]
    )
    on conflict (source, post_key) do update set
      title = excluded.title, headings = excluded.headings, read_at = now(),
      published = coalesce(announcement_posts.published, excluded.published),
      linked = array(
        select unnest(announcement_posts.linked) union select unnest(excluded.linked)
      )
  `);
}

/** Deletes the posts beyond the newest ones that no release has and the operator said nothing of. */
export async function prunePosts(connection: Connection, source: string): Promise<void> {
  await connection.query(sql`
    delete from announcement_posts as post
    where source = ${source} and not rejected
      and post_key in (
        select post_key from announcement_posts
        where source = ${source}
        order by read_at desc, published desc nulls last, post_key
        offset ${MAX_POSTS}
      )
      and not exists (
        select from announcement_matches as match
        where match.source = post.source and match.post_key = post.post_key
      )
      and not exists (
        select from items where items.source = post.source and items.blog_url = post.url
      )
  `);
}

/** The posts of a source. */
export function readPosts(connection: Connection, source: string): Promise<Post[]> {
  return connection.query(sql`
    select post_key, url, title, headings, published::text as published,
      linked::text[] as linked, rejected
    from announcement_posts
    where source = ${source}
    order by published desc nulls last, post_key
  `);
}

/** Marks a post as announcing no release. */
export async function markRejected(
  connection: Connection,
  source: string,
  postKey: string,
): Promise<void> {
  await connection.query(sql`
    delete from announcement_matches where source = ${source} and post_key = ${postKey}
  `);
  await connection.query(sql`
    update announcement_posts set rejected = true
    where source = ${source} and post_key = ${postKey}
  `);
}

/** Makes a post the announcement of a release, whatever else is found. */
export async function setMatch(
  connection: Connection,
  { source, release_item_id, post_key }: {
    source: string;
    release_item_id: string;
    post_key: string;
  },
): Promise<void> {
  await connection.query(sql`
    insert into announcement_matches (release_item_id, source, post_key)
    values (${release_item_id}::uuid, ${source}, ${post_key})
    on conflict (release_item_id) do update set
      source = excluded.source, post_key = excluded.post_key
  `);
}

/** The active releases of any source with an id, or with a name. */
export function findReleases(
  connection: Connection,
  idOrName: string,
): Promise<(StoredRelease & { source: string })[]> {
  return connection.query(sql`
    select ${RELEASE}, source
    from items
    where active and (release_item_id::text = lower(${idOrName}) or feature_name = ${idOrName})
    order by release_item_id
    limit 10
  `);
}

/** The active releases of a source. */
export function readReleases(connection: Connection, source: string): Promise<StoredRelease[]> {
  return connection.query(sql`
    select ${RELEASE}
    from items
    where active and source = ${source}
    order by release_item_id
  `);
}

/** Finds the posts of the releases of a source; null if none of its posts have been read. */
export async function openPosts(
  connection: Connection,
  source: string,
): Promise<PostFinder | null> {
  const posts = await readPosts(connection, source);
  if (posts.length === 0) return null;
  const set = await connection.query<{ release_item_id: string; post_key: string }>(sql`
    select release_item_id::text as release_item_id, post_key
    from announcement_matches
    where source = ${source}
  `);
  return await indexPosts(
    posts,
    new Map(set.map(({ release_item_id, post_key }) => [release_item_id, post_key])),
  );
}

/** Forgets the announcements of a source. */
export async function forgetAnnouncements(connection: Connection, source: string): Promise<void> {
  await connection.query(sql`delete from announcement_posts where source = ${source}`);
  await connection.query(sql`delete from announcement_feeds where source = ${source}`);
  await removeSchedule(connection, announcementsScheduleOf(source));
}
