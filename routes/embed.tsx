import { z } from "zod";
import { Facts, Marked } from "../components/search/releases.tsx";
import {
  byQuarter,
  isSoonestFirst,
  searchAddress,
  type SearchAnswer,
} from "../components/search/search_query.ts";
import { embedHeaders } from "../lib/http/responses/page_headers.ts";
import { onlyChoice, parseParameters } from "../lib/http/requests/parameters.ts";
import { renderPage, Scripts } from "../lib/ui/render_page.tsx";
import { assetPath } from "../lib/ui/brand.tsx";
import { answerSearch, type ParsedSearch, parseSearch } from "./(_components)/read_search.ts";
import type { ClientContext, ReadConfig, ReadHandlers } from "./route.ts";
import { titleSearch } from "../lib/ui/said_search.ts";
import { language, say } from "../lib/text/messages.ts";

const THEME_QUERY = z.object({ theme: onlyChoice(["light", "dark"]) });

/** What the roadmap knows besides: other views and further pages, which are a link away. */
const OF_ROADMAP = ["view", "from", "group", "page"];

/** Every link leaves the iframe, and the page it opens knows nothing of this one. */
const NEW_TAB = { target: "_blank", rel: "noopener" };

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "The list of releases for an iframe on another site",
};

export const handler: ReadHandlers = {
  GET: {
    isOn: ({ EMBED_ORIGINS: embedOrigins }) => embedOrigins.length > 0,
    read(input, context) {
      const query = new URLSearchParams(input.query);
      for (const name of OF_ROADMAP) query.delete(name);
      const { theme } = parseParameters(THEME_QUERY, query);
      const parsed = parseSearch({ ...input, query }, context);
      return {
        normalised: { theme, search: parsed.search },
        build: () => build(parsed, theme, { ...context, client: input.client }),
      };
    },
  },
};

async function build(parsed: ParsedSearch, theme: string | undefined, context: ClientContext) {
  const { services: { config, assets }, site } = context;
  const { answer, options: _, ...lifetime } = await answerSearch(parsed, context);
  const title = titleSearch(parsed.search) || say("layout.roadmap");
  const { tag, direction } = language();
  const scripts = assets.scriptsOf("embed");
  const page = (
    <html lang={tag} dir={direction === "rtl" ? direction : undefined} data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme ?? "light dark"} />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${config.SITE_NAME}`}</title>
        <link rel="stylesheet" href={assetPath(context, assets.nameOf("style.css"))} />
        {scripts.length > 0 && <Scripts files={scripts} context={context} />}
      </head>
      <body class="embed" data-origins={config.EMBED_ORIGINS.join(" ")}>
        <main>
          <h1 class="visually-hidden">{title}</h1>
          <Releases path={site.path} parsed={parsed} answer={answer} />
          <p class="hint">
            {say("embed.count", { count: answer.total })}{" "}
            <a href={searchAddress(site.path, parsed.search)} {...NEW_TAB}>
              {say(answer.total > answer.items.length ? "embed.view_all" : "embed.view", {
                site: config.SITE_NAME,
              })}
            </a>
          </p>
        </main>
      </body>
    </html>
  );
  return {
    contentType: "text/html; charset=utf-8",
    body: renderPage(page),
    headers: embedHeaders(config.EMBED_ORIGINS),
    ...lifetime,
  };
}

/** The releases; those that come soonest stand below their quarters, as on the roadmap. */
function Releases({ path, parsed: { search }, answer: { items, marks } }: {
  path: string;
  parsed: ParsedSearch;
  answer: SearchAnswer;
}) {
  if (items.length === 0) return null;
  const groups = isSoonestFirst(search) ? byQuarter(items) : [{ title: "", found: items }];
  return (
    <div class="release-list">
      {groups.map(({ title, found }) => (
        <section key={title}>
          <h2 class={title === "" ? "visually-hidden" : undefined}>
            {title || say("search.releases")}
          </h2>
          <ul class="rows">
            {found.map((item) => (
              <li key={item.release_item_id} class="release-row">
                <h3>
                  <a href={`${path}/release/${item.release_item_id}`} {...NEW_TAB}>
                    <Marked text={item.feature_name} marks={marks} lang={item.lang} />
                  </a>
                </h3>
                <Facts item={item} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
