import { formatDay, formatPlanned } from "../../lib/text/dates.ts";
import { markWords } from "../../lib/text/mark_words.ts";
import type { FoundItem } from "./search_answer.ts";

/** One release in a list. */
export function ReleaseCard({ path, item, q }: { path: string; item: FoundItem; q?: string }) {
  const words = q?.trim() || undefined;
  return (
    <li class={item.active === false ? "card removed" : "card"}>
      <h3>
        <a href={`${path}/release/${item.release_item_id}`}>
          <Marked text={item.feature_name} q={words} />
        </a>
      </h3>
      <Facts item={item} q={words} />
      {item.excerpt && (
        <p class="excerpt">
          <Marked text={item.excerpt} q={words} />
        </p>
      )}
    </li>
  );
}

/** Status, type, date and product of a release, in one line. */
export function Facts({ item, q }: { item: FoundItem; q?: string }) {
  return (
    <p class="facts">
      {item.active === false && <span class="badge tone-removed">Removed</span>}{" "}
      <span class={`badge tone-${item.tone}`}>{item.release_status}</span>{" "}
      <span>{item.release_date === null ? "No date" : formatPlanned(item.release_date)}</span>{" "}
      <span>{item.release_type}</span>{" "}
      <span>
        <Marked text={item.product_name} q={q} />
      </span>{" "}
      <span class="quiet">
        Modified <time dateTime={item.last_modified}>{formatDay(item.last_modified)}</time>
      </span>
    </p>
  );
}

/** A text with the search words highlighted, in its own direction. */
export function Marked({ text, q }: { text: string; q?: string }) {
  const pieces = markWords(text, q);
  return (
    <bdi>{pieces.map(({ text, hit }, place) => hit ? <mark key={place}>{text}</mark> : text)}</bdi>
  );
}
