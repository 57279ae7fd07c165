import type { ComponentType, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { PAGE_HEADERS } from "../http/responses/page_headers.ts";
import type { Content } from "../http/responses/representation.ts";
import { assetPath, type SiteFrame } from "./brand.tsx";

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

/**
 * A component that is rendered here and hydrated in the browser, with its props beside it as JSON:
 * a data block, which is not executed, so the content security policy allows it.
 */
export function Island<Props extends object>(
  { component: Component, props, frame, isStatic = false }: {
    /** The default export of a file in islands/ that has its name. */
    component: ComponentType<Props>;
    props: Props;
    frame: SiteFrame;
    /** It stays as it is rendered here. */
    isStatic?: boolean;
  },
) {
  const { name } = Component;
  const scripts = isStatic ? [] : frame.services.assets.scriptsOf(name);
  return (
    <>
      <div class="island" id={`island-${name}`}>
        <Component {...props} />
      </div>
      {scripts.length > 0 && (
        <>
          <DataBlock id={`props-${name}`} type="application/json" value={props} />
          <Scripts files={scripts} frame={frame} />
        </>
      )}
    </>
  );
}

/** A script, and with it those that it imports. */
export function Scripts({ files, frame }: { files: readonly string[]; frame: SiteFrame }) {
  const [script, ...imported] = files.map((file) => assetPath(frame, file));
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
