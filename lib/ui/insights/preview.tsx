import { Name } from "../../../components/name.tsx";
import type { Insights } from "../../insights/insights.ts";
import { countOf } from "../../text/count_of.ts";
import { FigureTable } from "../figure_table.tsx";
import { ChartLegend, StackedBar } from "../stacked_chart.tsx";

const PARTS = [
  { field: "median_days", kind: "shipped", label: "Days in preview" },
  { field: "median_days_so_far", kind: "planned", label: "Days so far" },
] as const;

/** How long releases stay in preview. */
export function PreviewSection({ preview }: { preview: Insights["preview"] }) {
  const { by_product } = preview;
  const most = Math.max(
    ...by_product.flatMap((row) => PARTS.map(({ field }) => row[field] ?? 0)),
  );
  return (
    <details class="insight">
      <summary>
        <h2 id="preview">Time in preview</h2>
      </summary>
      <p class="quiet">{describePreview(preview)}</p>
      {by_product.length > 0 && <ChartLegend parts={PARTS} />}
      {by_product.length > 0 && (
        <FigureTable
          caption="Time in preview, by product"
          columns={[
            "Product",
            null,
            "Left preview",
            "Median days",
            "In preview",
            "Median days so far",
          ]}
        >
          {by_product.map((row) => (
            <tr key={row.product_name}>
              <th scope="row">
                <Name text={row.product_name} />
              </th>
              <td class="picture">
                {PARTS.map(({ field, ...part }) =>
                  row[field] !== null && (
                    <StackedBar
                      key={field}
                      parts={[{ ...part, count: row[field] }]}
                      most={most}
                    />
                  )
                )}
              </td>
              <td>{row.finished}</td>
              <td>{row.median_days ?? "–"}</td>
              <td>{row.current}</td>
              <td>{row.median_days_so_far ?? "–"}</td>
            </tr>
          ))}
        </FigureTable>
      )}
    </details>
  );
}

function describePreview({ finished, current }: Insights["preview"]): string {
  if (finished + current === 0) return "No release has entered preview yet.";
  const left = `${countOf(finished, "release")} left preview for general availability`;
  return `${left}; ${current} ${current === 1 ? "is" : "are"} still in preview.`;
}
