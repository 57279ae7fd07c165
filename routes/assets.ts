import { Problem } from "../lib/http/problem.ts";
import type { Asset } from "../lib/http/assets.ts";
import type { ReadHandler } from "./route.ts";

/** A style, script or icon, at an address that contains its hash. */
export const asset: ReadHandler = {
  read({ path: { name = "" } }, { services: { assets } }) {
    const found = assets.find(name);
    if (!found) throw new Problem(404, `There is no asset with the name ${name}`);
    return { normalised: name, build: () => Promise.resolve(contentOf(found)) };
  },
};

/** Browsers request this on their own where no page names an icon. */
export const favicon: ReadHandler = {
  read: (_input, { services: { assets } }) => ({
    normalised: null,
    build: () => Promise.resolve(contentOf(assets.read("favicon.svg"))),
  }),
};

function contentOf({ contentType, body }: Asset) {
  return { contentType, body, headers: { "X-Content-Type-Options": "nosniff" } };
}
