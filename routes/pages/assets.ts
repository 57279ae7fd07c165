import { Problem } from "../../lib/http/problem.ts";
import type { Asset } from "../../lib/http/assets.ts";
import type { ReadHandler } from "../route.ts";

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
    build: () => Promise.resolve(contentOf(assets.read(assets.signs.icon))),
  }),
};

/** Opened by its own address, an SVG would run its scripts as part of this site. */
export const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

function contentOf({ contentType, body }: Asset) {
  const isSvg = contentType.startsWith("image/svg");
  return { contentType, body, ...isSvg && { headers: { "Content-Security-Policy": SVG_POLICY } } };
}
