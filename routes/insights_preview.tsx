import type { Insights } from "../lib/insights/insights.ts";
import { countOf } from "../lib/text/count_of.ts";
import { FigureTable } from "../lib/ui/figure_table.tsx";
import { StackedBar } from "../lib/ui/stacked_chart.tsx";

/** How long releases stay in preview. */
export function PreviewSection({ preview }: { preview: Insights["preview"] }) {
  const { by_product } = preview;
  const most = Math.max(...by_product.map(({ median_days }) => median_days ?? 0));
  return (
    <section class="insight" aria-labelledby="preview">
      <h2 id="preview">Time in preview</h2>
      <p class="quiet">{tellPreview(preview)}</p>
      {by_product.length > 0 && (
        <FigureTable
          caption="Time in preview, by product"
          columns={[
            "Product",
            "Picture",
            "Left preview",
            "Median days",
            "In preview",
            "Median days so far",
          ]}
        >
          {by_product.map((row) => (
            <tr key={row.product_name}>
              <th scope="row">{row.product_name}</th>
              <td class="picture">
                {row.median_days !== null && (
                  <StackedBar
                    parts={[{ kind: "shipped", label: "Days", count: row.median_days }]}
                    most={most}
                  />
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
    </section>
  );
}

function tellPreview({ finished, current }: Insights["preview"]): string {
  if (finished + current === 0) return "No release was seen to come to preview yet.";
  const left = `${countOf(finished, "release")} left preview for general availability`;
  return `${left}; ${current} came to preview and ${current === 1 ? "is" : "are"} still in it.`;
}
