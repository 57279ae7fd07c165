import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { PAGE_HEADERS } from "../http/responses/page_headers.ts";
import type { Content } from "../http/responses/representation.ts";
import { assetPath, type PageContext } from "./brand.tsx";

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

/** A script, and with it those that it imports. */
export function Scripts({ files, context }: { files: readonly string[]; context: PageContext }) {
  const [script, ...imported] = files.map((file) => assetPath(context, file));
  return (
    <>
      {imported.map((href) => <link key={href} rel="modulepreload" href={href} />)}
      <script type="module" src={script} />
    </>
  );
}

/** JSON inside a page; no text in it can end the element. */
export function DataBlock({ id, type, value }: { id?: string; type: string; value: unknown }) {
  const __html = JSON.stringify(value).replaceAll("<", "\\u003c");
  return <script id={id} type={type} dangerouslySetInnerHTML={{ __html }} />;
}
