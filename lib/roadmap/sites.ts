import type { Config } from "../config/config.ts";
import { VARIANT_A } from "./variant_a.ts";
import { VARIANT_B } from "./variant_b.ts";
import type { Variant, VariantName } from "./variant.ts";

/** One variant of the interface at its address. */
export interface Site {
  readonly variant: Variant;
  /** Empty, or a path that begins with a slash and does not end with one: `/roadmap/b`. */
  readonly path: string;
  /** Absolute, without a slash at its end. */
  readonly url: string;
}

/** The sites that a process serves: one variant, or A with B below it. */
export function sitesOf({ ROADMAP_VARIANT: variant, basePath, BASE_URL: baseUrl }: Config): Site[] {
  switch (variant) {
    case "a":
      return [{ variant: VARIANT_A, path: basePath, url: baseUrl }];
    case "b":
      return [{ variant: VARIANT_B, path: basePath, url: baseUrl }];
    case "both":
      return [
        { variant: VARIANT_A, path: basePath, url: baseUrl },
        { variant: VARIANT_B, path: `${basePath}/b`, url: `${baseUrl}/b` },
      ];
  }
}

/** The site for the people of a variant, who may have subscribed where it was still served. */
export function siteFor(name: VariantName, config: Config): Site {
  const sites = sitesOf(config);
  return sites.find(({ variant }) => variant.name === name) ?? sites[0]!;
}
