import { dropComments } from "./markup.ts";
import { FIELD_BOUNDARY, fold } from "./match_words.ts";
import { decodeMarkup } from "./plain_text.ts";

/**
 * The folded text of a release that searches look into, in fields that no match reaches over: name,
 * description and products as they are, and behind them name and description without the entities and
 * comments of HTML, where they hold any.
 */
export function searchText(
  item: {
    feature_name: string;
    feature_description: string | null;
    product_names: readonly string[];
  },
): string {
  const { feature_name, feature_description, product_names } = item;
  const texts = [feature_name, feature_description ?? ""];
  const decoded = texts.map((text) => dropComments(decodeMarkup(text)));
  const differs = decoded.some((text, place) => text !== texts[place]);
  return [...texts, product_names.join("\n"), ...differs ? decoded : []]
    .map(fold).join(FIELD_BOUNDARY);
}
