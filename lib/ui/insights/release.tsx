import { Name } from "../../../components/name.tsx";
import { cleanName } from "../../text/clean_name.ts";
import type { Site } from "../../roadmap/sites.ts";

/** The first cell of a release in a table of figures. */
export function ReleaseName({ release, site }: {
  release: {
    release_item_id: string;
    feature_name: string;
    product_name: string;
    active: boolean;
  };
  site: Site;
}) {
  return (
    <th scope="row" class="named">
      <a href={`${site.path}/release/${release.release_item_id}`}>
        <Name text={cleanName(release.feature_name)} />
      </a>{" "}
      <span class="quiet">
        <Name text={release.product_name} />
        {!release.active && ", removed"}
      </span>
    </th>
  );
}
