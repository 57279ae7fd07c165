import { RSS } from "../lib/feeds/formats.ts";
import { feedAt } from "./(_components)/feed_at.ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "RSS 2.0 feed of recently modified releases",
};

/** Interface specification, 4.1. */
export const handler: ReadHandlers = { GET: feedAt("/rss.xml", RSS) };
