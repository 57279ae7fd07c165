import type { Config } from "../config/config.ts";
import type { Site } from "../roadmap/sites.ts";
import type { Assets } from "../http/assets.ts";

/** What every page needs to know about its site; the context of a route is one. */
export interface SiteFrame {
  readonly services: { readonly config: Config; readonly assets: Assets };
  readonly site: Site;
}

/** The address of a file of static/, or of a built script by its hashed name. */
export function assetPath({ services: { config } }: SiteFrame, hashedName: string): string {
  return `${config.basePath}/assets/${hashedName}`;
}
