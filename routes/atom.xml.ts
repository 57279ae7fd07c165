import { ATOM } from "../lib/feeds/formats.ts";
import { feedAt } from "./(_components)/feed_at.ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "Atom feed of recently modified releases",
};

export const handler: ReadHandlers = { GET: feedAt("/atom.xml", ATOM) };
