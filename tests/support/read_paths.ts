import { makeItem } from "./app.ts";

const ID = makeItem(1).release_item_id;

/** The paths of everything readable in the API and the feeds, in both variants, for item 1. */
export const READ_PATHS: readonly string[] = [
  "/api/releases",
  `/api/releases?release_item_id=${ID}`,
  `/api/releases/history/${ID}`,
  "/api/filter-options",
  "/api/insights",
  "/api/changes/releases",
  "/rss",
  "/rss.xml",
  "/atom.xml",
  "/feed.json",
  "/calendar.ics",
].flatMap((path) => [path, `/b${path}`]).concat("/api/changelog");
