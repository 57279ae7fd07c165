import type { ComponentChildren } from "preact";
import { filterQuery } from "../../components/search/search_query.ts";
import type { SiteLink } from "../config/setting.ts";
import { FEEDS, titleFeed } from "../roadmap/feed_addresses.ts";
import { type FilterValues, NO_FILTER } from "../roadmap/filter/filter_values.ts";
import { isoDate } from "../text/dates.ts";
import { VERSION } from "../version.ts";
import { assetPath, Brand, type LinkPicture, type PageContext, Signs } from "./brand.tsx";
import { language, rich, say } from "../text/messages.ts";

interface LayoutProps {
  /** Without the name of the site. */
  title: string;
  context: PageContext;
  /** One or two sentences for search engines and previews. */
  description?: string;
  /** The page's own address below the site; absent: the page is not indexed. */
  path?: string;
  /** The filter of the feeds that the page announces; absent: the whole roadmap. */
  followed?: FilterValues;
  /** The kinds of change that these feeds hold; absent: all. */
  kinds?: readonly string[];
  /** The words that are searched for, on the page that searches. */
  searched?: string;
  /** Where the first link of the page leads, which only a keyboard sees. */
  skip?: { href: string; label: string };
  /** The picture of the page; absent: that of the site. */
  picture?: LinkPicture;
  /** Further elements of the head. */
  head?: ComponentChildren;
  children: ComponentChildren;
}

/**
 * Half a page is not painted, so that nothing moves when the rest of a line wraps (HTML, link type
 * `expect`). Preact does not know the attribute `blocking`.
 */
const PAINT_WHEN_WHOLE = { rel: "expect", href: "#footer", blocking: "render" };

/** Where the first link of a page with a list leads: an element with the id `results`. */
export function skipToResults(href = "#results") {
  return { href, label: say("layout.skip_to_results") };
}

/** The frame of every page. */
export function Layout(
  {
    title,
    context,
    description,
    path,
    followed = NO_FILTER,
    kinds,
    searched,
    skip = { href: "#content", label: say("layout.skip_to_content") },
    picture,
    head,
    children,
  }: LayoutProps,
) {
  const { services: { config, assets }, site } = context;
  const { SITE_NAME: siteName } = config;
  const { tag, direction } = language();
  const query = followQuery(followed, kinds);
  // The changelog has removed releases without being asked, and a release names the feeds of its product.
  const isCombination = !path?.startsWith("/release/") &&
    followQuery({ ...followed, include_inactive: "" }, kinds) !== "";
  const fullTitle = title === siteName ? title : `${title} · ${siteName}`;
  return (
    <html lang={tag} dir={direction === "rtl" ? direction : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{fullTitle}</title>
        {/* Combinations of filters have no end, and nothing that the roadmap has not. */}
        {(path === undefined || isCombination) && <meta name="robots" content="noindex" />}
        {path !== undefined && (
          <>
            <link rel="canonical" href={site.url + path} />
            <meta property="og:url" content={site.url + path} />
          </>
        )}
        {description && <meta name="description" content={description} />}
        <meta property="og:site_name" content={siteName} />
        <meta property="og:title" content={title} />
        {description && <meta property="og:description" content={description} />}
        {/* It blocks, so that the chosen theme is there before anything is painted. */}
        {assets.scriptsOf("frame").map((script) => (
          <script
            key={script}
            src={assetPath(context, script)}
            data-copier={assets.scriptsOf("copy").map((name) => assetPath(context, name))[0]}
          />
        ))}
        <link rel="stylesheet" href={assetPath(context, assets.nameOf("style.css"))} />
        <link {...PAINT_WHEN_WHOLE} />
        <Signs context={context} picture={picture} />
        <Feeds title={titleFeed(followed, siteName)} path={site.path} query={query} />
        {head}
      </head>
      <body>
        <a class="skip" href={skip.href}>{skip.label}</a>
        <Header context={context} current={path} query={query} searched={searched} />
        <main id="content" tabIndex={-1}>{children}</main>
        <Footer context={context} />
      </body>
    </html>
  );
}

function Feeds({ title, path, query }: { title: string; path: string; query: string }) {
  return (
    <>
      {FEEDS.map((feed) => (
        <link
          key={feed.path}
          rel="alternate"
          type={feed.mediaType}
          title={title}
          href={path + feed.path + query}
        />
      ))}
    </>
  );
}

interface HeaderProps extends Pick<LayoutProps, "context" | "searched"> {
  current: string | undefined;
  /** What is followed. */
  query: string;
}

function Header({ context, current, query, searched }: HeaderProps) {
  const { services: { config, firstDay, clock }, site } = context;
  // On the first day there is nothing to judge yet.
  const isWatched = firstDay.latest === undefined || current === "/insights" ||
    firstDay.latest !== null && firstDay.latest < isoDate(clock());
  const places = [
    { path: "/", name: say("layout.roadmap") },
    ...site.variant.hasChangelog ? [{ path: "/changelog", name: say("layout.changelog") }] : [],
    ...isWatched ? [{ path: "/insights", name: say("layout.insights") }] : [],
  ];
  return (
    <header class="site-header">
      <div class="bar">
        <Brand context={context} />
        <nav aria-label={say("layout.pages")}>
          <ul>
            {places.map(({ path, name }) => (
              <li key={path}>
                <a href={site.path + path} aria-current={path === current ? "page" : undefined}>
                  {name}
                </a>
              </li>
            ))}
            <Links links={config.SITE_LINKS} />
          </ul>
        </nav>
        <SearchField path={site.path} searched={searched} />
        <a
          class="button follow-button"
          href={`${site.path}/subscribe${query}`}
          aria-current={current === "/subscribe" ? "page" : undefined}
        >
          {say("layout.follow")}
        </a>
      </div>
    </header>
  );
}

function Footer({ context: { services: { config }, site } }: { context: PageContext }) {
  return (
    <footer class="site-footer" id="footer">
      <div class="bar">
        <p>
          {config.SITE_IMPRINT ?? say("layout.imprint", { site: config.SITE_NAME })}
        </p>
        <ul>
          <Links links={config.SITE_FOOTER_LINKS} />
          <li>
            <a href={`${site.path}/rss.xml`}>{say("layout.rss_feed")}</a>
          </li>
          <li>
            <a href={`${site.path}/api`}>{say("layout.api")}</a>
          </li>
          <li>Roadcast {VERSION}</li>
        </ul>
        <SlashSwitch />
        <ThemeSwitch />
      </div>
    </footer>
  );
}

function Links({ links }: { links: readonly SiteLink[] }) {
  return (
    <>
      {links.map(({ label, address }) => (
        <li key={label}>
          <a href={address}>{label}</a>
        </li>
      ))}
    </>
  );
}

/** The id of the form of the page that searches. */
const SEARCH_FORM = "search-form";

interface SearchFieldProps {
  /** Of the site, as in `/b` */
  path: string;
  /** The words that are searched for, where the page has a form of filters which they belong to. */
  searched: string | undefined;
}

/** The search in the header: it leads to the roadmap, and there it is part of the form of filters. */
function SearchField({ path, searched }: SearchFieldProps) {
  if (searched === undefined) {
    return (
      <form class="search-field" role="search" action={`${path}/`}>
        <Field />
      </form>
    );
  }
  return (
    <div class="search-field">
      <Field value={searched} form={SEARCH_FORM} />
    </div>
  );
}

function Field({ value, form }: { value?: string; form?: string }) {
  return (
    <>
      <label class="visually-hidden" for="q">{say("layout.search_releases")}</label>
      <button type="submit" form={form} tabIndex={-1} aria-label={say("layout.search")}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" />
          <path d="m10.5 10.5 4 4" />
        </svg>
      </button>
      <input
        id="q"
        name="q"
        type="search"
        form={form}
        value={value}
        placeholder={say("layout.search_releases")}
        maxLength={1000}
        autocomplete="off"
        spellcheck={false}
      />
      <kbd aria-hidden="true">/</kbd>
    </>
  );
}

/**
 * Turns off the key `/`, which leads to the search: speech input may press single keys by accident
 * (WCAG 2.2, 2.1.4). It is shown where there is a script that reads the key.
 */
function SlashSwitch() {
  return (
    <label class="slash-switch" hidden>
      <input type="checkbox" data-slash />
      {rich("layout.slash", { kbd: (key) => <kbd>{key}</kbd> })}
    </label>
  );
}

const THEMES = [
  { theme: "", name: "theme.system" },
  { theme: "light", name: "theme.light" },
  { theme: "dark", name: "theme.dark" },
] as const;

/** Chooses the theme (scripts/frame.ts); without scripts the system does, and it is hidden. */
export function ThemeSwitch() {
  return (
    <div class="switch theme-switch" role="group" aria-label={say("layout.theme")}>
      {THEMES.map(({ theme, name }) => (
        <button key={theme} type="button" data-theme-choice={theme} aria-pressed={theme === ""}>
          {say(name)}
        </button>
      ))}
    </div>
  );
}

/** The query of a feed, or of the form to subscribe, with its question mark; without kinds of all. */
export function followQuery(filter: FilterValues, kinds: readonly string[] = []): string {
  // Without removed releases, a feed of what was removed has nothing.
  const shown = kinds.includes("removed") ? { ...filter, include_inactive: "true" } : filter;
  const parameters = new URLSearchParams(filterQuery(shown));
  for (const kind of kinds) parameters.append("kind", kind);
  return parameters.size > 0 ? `?${parameters}` : "";
}
