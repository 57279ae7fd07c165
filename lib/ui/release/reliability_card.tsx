import { Name } from "../../../components/name.tsx";
import type { PromiseCounts } from "../../insights/insights_row.ts";
import { toLine } from "../../text/to_line.ts";

/** How many promises of a product were kept; nothing where it is too early to judge. */
export function ReliabilityCard({ product, promises: { due, earlier, in_quarter }, path }: {
  product: string;
  promises: PromiseCounts;
  /** Of the site. */
  path: string;
}) {
  if (due === 0) return null;
  return (
    <section class="card reliability" aria-labelledby="reliability-heading">
      <h2 id="reliability-heading">How reliable are these dates?</h2>
      <p>
        {earlier + in_quarter} of {due} {due === 1 ? "release" : "releases"} of{" "}
        <Name text={toLine(product)} /> due so far shipped in time.{" "}
        <a rel="nofollow" href={`${path}/insights?product_name=${encodeURIComponent(product)}`}>
          Insights
        </a>
      </p>
    </section>
  );
}
