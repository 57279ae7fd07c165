import { Problem } from "../lib/http/problem.ts";
import type { Asset } from "../lib/http/assets.ts";
import type { ReadHandler } from "./route.ts";

/** A style, a script or a sign, at an address that holds a hash of it. */
export const asset: ReadHandler = {
  read({ path: { name = "" } }, { services: { assets } }) {
    const found = assets.find(name);
    if (!found) throw new Problem(404, `There is no asset with the name ${name}`);
    return { normalised: name, build: () => Promise.resolve(contentOf(found)) };
  },
};

/** What browsers ask for that were not told of a sign by a page. */
export const favicon: ReadHandler = {
  read: (_input, { services: { assets } }) => ({
    normalised: null,
    build: () => Promise.resolve(contentOf(assets.read("favicon.svg"))),
  }),
};

function contentOf({ contentType, body }: Asset) {
  return { contentType, body, headers: { "X-Content-Type-Options": "nosniff" } };
}
