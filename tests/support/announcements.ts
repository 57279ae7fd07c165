import { serveSource, type SourceServer } from "./source_server.ts";
import type { TestApp } from "./app.ts";

/** A post of a feed. */
export interface FeedPost {
  id: string | number;
  title: string;
  link?: string;
  /** HTML */
  text?: string;
  day?: string;
}

/** The address of a post that has no other. */
export function postAddress(id: string | number): string {
  return `https://community.example.com/t5/Updates/post/ba-p/${id}`;
}

/** An RSS feed of posts. */
export function writeRss(posts: readonly FeedPost[]): string {
  const items = posts.map(({ id, title, link = postAddress(id), text = "", day = "2026-07-01" }) =>
    `<item><guid isPermaLink="false">${id}</guid><title><![CDATA[${title}]]></title>` +
    `<link><![CDATA[${link}]]></link><pubDate>${new Date(day).toUTCString()}</pubDate>` +
    `<description><![CDATA[${text}]]></description></item>`
  );
  return `<rss version="2.0"><channel><title>Updates</title>${items.join("")}</channel></rss>`;
}

/** A source at `/items` and a feed at `/feed`, both with entity tags; each can be replaced. */
export interface AnnouncedSource extends SourceServer {
  items: unknown;
  posts: readonly FeedPost[];
  /** In place of the posts. */
  answer: ((request: Request) => Response | Promise<Response>) | null;
}

/** Serves a source and its announcements. */
export function serveAnnounced(items: unknown, posts: readonly FeedPost[]): AnnouncedSource {
  const server = serveSource((request, { pathname }) => {
    if (pathname === "/feed" && served.answer) return served.answer(request);
    const body = pathname === "/feed" ? writeRss(served.posts) : JSON.stringify(served.items);
    const etag = `"${body.length}-${body.slice(-400).replace(/[^\w]/g, "").slice(-60)}"`;
    const headers = { etag };
    return request.headers.get("if-none-match") === etag
      ? new Response(null, { status: 304, headers })
      : new Response(body, { headers });
  });
  const served: AnnouncedSource = Object.assign(server, { items, posts, answer: null });
  return served;
}

/** The announcement of each release, by its name. */
export async function announcementsOf(app: TestApp): Promise<Record<string, string | null>> {
  const { data } = await app.json("/api/releases?sort=feature_name&page_size=100");
  return Object.fromEntries(
    data.map((
      { feature_name, blog_title, blog_url }: Record<string, string | null>,
    ) => [feature_name, blog_url === null ? null : `${blog_title} ${blog_url}`]),
  );
}
