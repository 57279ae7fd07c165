import { Name } from "../../../components/name.tsx";
import type { Insights } from "../../insights/insights.ts";
import type { Site } from "../../roadmap/sites.ts";
import { countOf } from "../../text/count_of.ts";
import { formatPlanned } from "../../text/dates.ts";
import { Day } from "../day.tsx";
import { FigureTable } from "../figure_table.tsx";
import { ChartLegend, StackedBar } from "../stacked_chart.tsx";
import { ReleaseName } from "./release.tsx";

const PARTS = [
  { kind: "shipped", label: "Shipped" },
  { kind: "planned", label: "Still planned" },
] as const;

/** What shipped in the current quarter, and what is still planned for it. */
export function ShippedSection({ shipped, site }: { shipped: Insights["shipped"]; site: Site }) {
  const { quarter, total, planned, by_product, releases } = shipped;
  const most = Math.max(...by_product.map(({ shipped, planned }) => shipped + planned));
  return (
    <details class="insight">
      <summary>
        <h2 id="shipped">Shipped in {quarter}</h2>
      </summary>
      <p class="quiet">
        {`${countOf(total, "release")} shipped, ${planned} still planned for this quarter.`}
      </p>
      {by_product.length > 0 && (
        <>
          <ChartLegend parts={PARTS} />
          <FigureTable
            caption={`Shipped in and planned for ${quarter}, by product`}
            columns={["Product", null, ...PARTS.map(({ label }) => label)]}
          >
            {by_product.map(({ product_name, ...counts }) => (
              <tr key={product_name}>
                <th scope="row">
                  <Name text={product_name} />
                </th>
                <td class="picture">
                  <StackedBar
                    parts={PARTS.map((part) => ({ ...part, count: counts[part.kind] }))}
                    most={most}
                  />
                </td>
                <td>{counts.shipped}</td>
                <td>{counts.planned}</td>
              </tr>
            ))}
          </FigureTable>
        </>
      )}
      {releases.length > 0 && (
        <>
          <h3>Recently shipped</h3>
          <FigureTable
            caption="Recently shipped releases"
            columns={["Release", "Shipped", "First promised"]}
          >
            {releases.map((release) => (
              <tr key={release.release_item_id}>
                <ReleaseName release={release} site={site} />
                <td>
                  <Day day={release.delivered_on} />
                </td>
                <td>
                  {release.first_promised ? formatPlanned(release.first_promised) : "No date"}
                </td>
              </tr>
            ))}
          </FigureTable>
        </>
      )}
    </details>
  );
}
