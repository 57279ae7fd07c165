import { join } from "node:path";
import type { Database } from "../../../lib/database/database.ts";
import { startApp, type TestApp } from "../app.ts";
import { serveSource, type SourceServer } from "../servers/source_server.ts";
import { makeDue } from "./clock.ts";

const TOKEN = "an-admin-token-of-31-characters";

/** A post of a feed. */
export interface FeedPost {
  id: string | number;
  title: string;
  link?: string;
  /** HTML */
  text?: string;
  day?: string;
}

/** The default address of a post. */
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
  /** Responds in place of the posts. */
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

/** A service that follows one source. */
export interface FollowingApp extends TestApp {
  /** Runs all jobs that are due. */
  workDue(): Promise<Record<string, unknown>>;
  /** Runs all jobs, as if everything were due. */
  work(): Promise<Record<string, unknown>>;
}

/** Follows a source with its announcements, and with more keys in ROADMAP_CONFIG. */
export async function follow(
  database: Database,
  source: SourceServer,
  more: Record<string, unknown> = {},
): Promise<FollowingApp> {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "sources.json");
  const entry = {
    name: "Plan",
    from: `${source.url}/items`,
    announcements: `${source.url}/feed`,
    ...more,
  };
  await Deno.writeTextFile(path, JSON.stringify({ sources: [entry] }));
  const app = await startApp(database, { ADMIN_TOKEN: TOKEN, ROADMAP_CONFIG: path });
  async function workDue() {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await app.fetch("/api/work", { method: "POST", headers });
    return await response.json();
  }
  return {
    ...app,
    workDue,
    async work() {
      await makeDue(database);
      const worked = await workDue();
      // The import that other posts made due.
      await workDue();
      return worked;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
