import type { Site } from "../roadmap/sites.ts";
import type { Services } from "../service/services.ts";

/** What every page needs to know about its site; the context of a route is one. */
export interface SiteFrame {
  readonly services: Pick<Services, "config" | "assets">;
  readonly site: Site;
}

/** The address of a file of static/, or of a built script by its hashed name. */
export function assetPath({ services: { config } }: SiteFrame, hashedName: string): string {
  return `${config.basePath}/assets/${hashedName}`;
}
