import { searchAddress, type SearchQuery } from "./search_query.ts";

/**
 * A link to another search of the page, which a click shows in place unless the person wants it in
 * another tab or window. Crawlers follow none: there are as many as combinations of filters.
 */
export function searchLink(path: string, query: SearchQuery, act: (event: MouseEvent) => void) {
  return {
    href: searchAddress(path, query),
    rel: "nofollow",
    onClick(event: MouseEvent) {
      const { button, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return;
      event.preventDefault();
      act(event);
    },
  };
}
