import type { Insights } from "../../insights/insights.ts";
import type { Site } from "../../roadmap/sites.ts";
import { countOf } from "../../text/count_of.ts";
import { formatPlanned } from "../../text/dates.ts";
import { FigureTable } from "../figure_table.tsx";
import { ReleaseName } from "./release.tsx";
import { slipInWords } from "./promises.tsx";

/** Releases whose dates moved furthest. */
export function MovedSection({ moved, site }: { moved: Insights["moved"]; site: Site }) {
  const { total, releases } = moved;
  return (
    <details class="insight">
      <summary>
        <h2 id="moved">Most moved</h2>
      </summary>
      <p class="quiet">
        {total === 0
          ? "No release date has moved yet."
          : `The dates of ${countOf(total, "release")} moved. Furthest moved:`}
      </p>
      {total > 0 && (
        <FigureTable
          caption="Releases whose dates moved furthest"
          columns={["Release", "Moves", "First planned", "Now", "Difference"]}
        >
          {releases.map((release) => (
            <tr key={release.release_item_id}>
              <ReleaseName release={release} site={site} />
              <td>{release.moves}</td>
              <td>{formatPlanned(release.first_release_date)}</td>
              <td>{release.release_date ? formatPlanned(release.release_date) : "No date"}</td>
              <td>{slipInWords(release.slip_quarters)}</td>
            </tr>
          ))}
        </FigureTable>
      )}
    </details>
  );
}
