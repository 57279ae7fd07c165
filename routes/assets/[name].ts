import { Problem } from "../../lib/http/responses/problem.ts";
import type { Asset } from "../../lib/http/assets/assets.ts";
import type { ReadConfig, ReadHandlers } from "../route.ts";

export const config: ReadConfig = {
  cache: "asset",
  errors: "json",
  summary: "A file that pages load",
};

export const handler: ReadHandlers = {
  GET: {
    read({ path: { name = "" } }, { services: { assets } }) {
      const found = assets.find(name);
      if (!found) throw new Problem(404, `There is no asset with the name ${name}`);
      return { normalised: name, build: () => Promise.resolve(contentOf(found)) };
    },
  },
};

/** Opened by its own address, an SVG would run its scripts as part of this site. */
export const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

/** A file of pages as the content of a response. */
export function contentOf({ contentType, body }: Asset) {
  const isSvg = contentType.startsWith("image/svg");
  return { contentType, body, ...isSvg && { headers: { "Content-Security-Policy": SVG_POLICY } } };
}
