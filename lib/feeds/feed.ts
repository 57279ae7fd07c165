import type { z } from "zod";
import type { Entry } from "./entry.ts";

/** The content of a feed, in any format. */
export interface Feed {
  title: string;
  description: string;
  /** The publisher: the name of the site. */
  author: string;
  /** The page with the same content, absolute. */
  page: string;
  /** The feed's own address, absolute. */
  self: string;
  /** The WebSub hub that is notified of its changes; null: there is none. */
  hub: string | null;
  /** The refresh interval for readers, in minutes. */
  ttl: number;
  /** When the newest entry or, without entries, the roadmap changed, in RFC 3339 format. */
  updated: string;
  /** Newest first. */
  entries: readonly Entry[];
}

/** A feed format. */
export interface FeedFormat {
  /** As in `RSS 2.0`. */
  name: string;
  mediaType: string;
  /** The largest number of entries. */
  maxEntries: number;
  /** The schema of the response, for the API description. */
  schema: z.ZodType;
  write(feed: Feed): string;
}

/**
 * The start of a day, in RFC 3339 format.
 *
 * ```ts
 * if (formatMoment("2026-07-14") !== "2026-07-14T00:00:00Z") throw new Error();
 * ```
 */
export function formatMoment(day: string): string {
  return `${day}T00:00:00Z`;
}
