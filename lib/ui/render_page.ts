import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { PAGE_HEADERS } from "../http/responses/page_headers.ts";
import type { Content } from "../http/responses/representation.ts";

/** Renders a whole page as HTML. */
export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`;
}

/** A page as the content of a response, with the headers of every page. */
export function pageContent(page: VNode): Content {
  return {
    contentType: "text/html; charset=utf-8",
    body: renderPage(page),
    headers: PAGE_HEADERS,
  };
}
