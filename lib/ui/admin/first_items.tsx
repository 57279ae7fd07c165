import { Name } from "../../../components/name.tsx";
import { tonesOf } from "../../import/mapping/fields.ts";
import type { ImportOptions } from "../../import/import_options.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import { decideTone } from "../../roadmap/status_tone.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { formatPlanned } from "../../text/dates.ts";
import { excerptOf } from "../../text/plain_text.ts";
import { toLine } from "../../text/to_line.ts";

/** As much of a description as a row of the roadmap has room for, in characters. */
const EXCERPT_LENGTH = 160;

type Item = Preview["items"][number];
interface FirstItemsProps {
  preview: Preview;
  fields: ImportOptions["fields"];
  variant: Variant;
}

/** The first items of a file, as rows of the roadmap; they have no pages to lead to yet. */
export function FirstItems({ preview: { items }, ...props }: FirstItemsProps) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>First items, as the roadmap will show them</h2>
      <div class="release-list">
        <ul class="rows">
          {items.map((item) => <Row key={item.release_item_id} item={item} {...props} />)}
        </ul>
      </div>
    </section>
  );
}

function Row({ item, fields, variant }: Omit<FirstItemsProps, "preview"> & { item: Item }) {
  const { feature_description: description, release_date: date, release_status: status } = item;
  const products = item.product_names ?? [item.product_name];
  return (
    <li class="release-row">
      <div class="row-text">
        <h3>
          <Name text={item.feature_name} />
        </h3>
        {description && (
          <p class="excerpt" dir="auto">{excerptOf(description, { length: EXCERPT_LENGTH })}</p>
        )}
      </div>
      <p class="row-status">
        <span class={`badge tone-${decideTone(status, { tones: tonesOf(fields) }).tone}`}>
          {toLine(status)}
        </span>
      </p>
      <p class="row-product">
        <Name text={products.join(", ")} />{" "}
        <span class="quiet">
          {[item.release_type, ...describeTags(item)].map(toLine).join(" · ")}
        </span>
      </p>
      <p class="row-date">{date ? formatPlanned(variant.formatDate(date)) : "No date"}</p>
    </li>
  );
}

function describeTags({ tags }: Item): string[] {
  return Object.entries(tags ?? {}).map(([group, values]) => `${group}: ${values.join(", ")}`);
}
