import type { z } from "zod";
import type { Entry } from "./entry.ts";

/** What a feed holds, whatever its format. */
export interface Feed {
  title: string;
  description: string;
  /** Who publishes it: the name of the site. */
  author: string;
  /** The page that shows the same, absolute. */
  page: string;
  /** The feed's own address, absolute. */
  self: string;
  /** How long a reader may wait before it asks again, in minutes. */
  ttl: number;
  /** Newest first. */
  entries: readonly Entry[];
}

/** A format of feeds. */
export interface FeedFormat {
  /** As in `RSS 2.0`. */
  name: string;
  mediaType: string;
  /** How many entries a feed has at most. */
  mostEntries: number;
  /** Of an answer, for the description of the API. */
  schema: z.ZodType;
  write(feed: Feed): string;
}

/**
 * A day as RFC 3339 writes its first moment.
 *
 * ```ts
 * if (formatMoment("2026-07-14") !== "2026-07-14T00:00:00Z") throw new Error();
 * ```
 */
export function formatMoment(day: string): string {
  return `${day}T00:00:00Z`;
}
