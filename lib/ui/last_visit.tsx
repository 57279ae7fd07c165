import { Scripts } from "./island.tsx";
import type { SiteFrame } from "./site_frame.ts";

/**
 * The place of "since your last visit", which a script fills from what the browser keeps; it has
 * its height from the start, so that nothing moves.
 */
export function LastVisit({ frame }: { frame: SiteFrame }) {
  const { services: { assets }, site: { path, variant } } = frame;
  const scripts = assets.scriptsOf("last_visit");
  if (scripts.length === 0) return null;
  const list = variant.hasChangelog ? `${path}/changelog?after=` : `${path}/?modified_since=`;
  return (
    <>
      <p id="last-visit" class="last-visit" role="status" data-path={path} data-list={list} />
      <Scripts files={scripts} frame={frame} />
    </>
  );
}
