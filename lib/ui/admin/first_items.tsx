import { Name } from "../../../components/name.tsx";
import { NO_TYPE } from "../../import/mapping/read_field.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { formatPlanned } from "../../text/dates.ts";
import { toLine } from "../../text/phrases.ts";
import { excerptOf } from "../../text/plain_text.ts";
import { StatusBadge } from "../../../components/status.tsx";

/** As much of a description as a row of the roadmap has room for, in characters. */
const EXCERPT_LENGTH = 160;

type Item = Preview["items"][number];

interface FirstItemsProps {
  preview: Preview;
  variant: Variant;
}

/** The first items of a file, as rows of the roadmap; they have no pages to lead to yet. */
export function FirstItems({ preview: { items }, ...props }: FirstItemsProps) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>Preview of the first releases</h2>
      <div class="release-list">
        <ul class="rows">
          {items.slice(0, 3).map((item) => (
            <Row
              key={item.release_item_id}
              item={item}
              {...props}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Row({ item, variant }: Omit<FirstItemsProps, "preview"> & { item: Item }) {
  const { feature_description: description, release_date: date } = item;
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
        <StatusBadge item={item} />
      </p>
      <p class="row-product">
        <Name text={products.join(", ")} />{" "}
        <span class="quiet">
          {[...typeOf(item), ...describeTags(item)].map(toLine).join(" · ")}
        </span>
      </p>
      <p class="row-date">
        {date ? formatPlanned(variant.formatDate(date)) : "No date"}
        {Object.entries(item.dates ?? {}).map(([name, day]) => (
          <span key={name} class="quiet">
            {" "}
            {toLine(name)} {formatPlanned(variant.formatDate(day))}
          </span>
        ))}
      </p>
    </li>
  );
}

/** What stands in for a type says nothing. */
function typeOf({ release_type: type }: Item): string[] {
  return type === NO_TYPE ? [] : [type];
}

function describeTags({ tags }: Item): string[] {
  return Object.entries(tags ?? {}).map(([group, values]) => `${group}: ${values.join(", ")}`);
}
