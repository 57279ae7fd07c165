import type { Connection } from "../../database/database.ts";
import { type Filling, readPosts, readSetPosts } from "./announcements_sql.ts";
import { type AnnouncedRelease, indexPosts, type PostFinder } from "./match_posts.ts";

/** Finds the posts of the releases of a source; null if none of its posts have been read. */
export async function openPosts(
  connection: Connection,
  source: string,
): Promise<PostFinder | null> {
  const posts = await readPosts(connection, source);
  return posts.length === 0
    ? null
    : await indexPosts(posts, await readSetPosts(connection, source));
}

/** The announcements of a batch of releases, which is JSON. */
export async function announcementsOf(find: PostFinder, batch: Uint8Array): Promise<Filling[]> {
  const releases: AnnouncedRelease[] = JSON.parse(new TextDecoder().decode(batch));
  return (await find(releases)).map(({ release_item_id, post }) => ({
    release_item_id,
    blog_title: post.title,
    blog_url: post.url,
  }));
}
