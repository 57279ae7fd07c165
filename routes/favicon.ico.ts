import { contentOf } from "./assets/[name].ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "The icon of the site",
};

/** Browsers request this on their own where no page names an icon. */
export const handler: ReadHandlers = {
  GET: {
    read: (_input, { services: { assets } }) => ({
      normalised: null,
      build: () => Promise.resolve(contentOf(assets.read(assets.signs.icon))),
    }),
  },
};
