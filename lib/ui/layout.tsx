import type { ComponentChildren } from "preact";
import { FEEDS, titleFeed } from "../roadmap/feed_addresses.ts";
import type { SiteLink } from "../config/links.ts";
import { type FilterValues, NO_FILTER } from "../roadmap/filter/filter_values.ts";
import { VERSION } from "../version.ts";
import { Brand, type LinkPicture, Signs } from "./brand.tsx";
import { followQuery } from "./follow/follow_query.ts";
import { SearchField } from "./search_field.tsx";
import { assetPath, type SiteFrame } from "./site_frame.ts";
import { SlashSwitch } from "./slash_switch.tsx";
import { ThemeSwitch } from "./theme_switch.tsx";

interface LayoutProps {
  /** Without the name of the site. */
  title: string;
  frame: SiteFrame;
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

const CONTENT = { href: "#content", label: "Skip to content" };

/** Where the first link of a page with a list leads: an element with the id `results`. */
export const SKIP_TO_RESULTS = { href: "#results", label: "Skip to results" };

/** The frame of every page. */
export function Layout(
  {
    title,
    frame,
    description,
    path,
    followed = NO_FILTER,
    kinds,
    searched,
    skip = CONTENT,
    picture,
    head,
    children,
  }: LayoutProps,
) {
  const { services: { config, assets }, site } = frame;
  const { SITE_NAME: siteName } = config;
  const query = followQuery(followed, kinds);
  // The changelog has removed releases without being asked.
  const isCombination = followQuery({ ...followed, include_inactive: "" }, kinds) !== "";
  const fullTitle = title === siteName ? title : `${title} · ${siteName}`;
  return (
    <html lang="en">
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
            src={assetPath(frame, script)}
            data-copier={assets.scriptsOf("copy").map((name) => assetPath(frame, name))[0]}
          />
        ))}
        <link rel="stylesheet" href={assetPath(frame, assets.nameOf("style.css"))} />
        <link {...PAINT_WHEN_WHOLE} />
        <Signs frame={frame} picture={picture} />
        <Feeds title={titleFeed(followed, siteName)} path={site.path} query={query} />
        {head}
      </head>
      <body>
        <a class="skip" href={skip.href}>{skip.label}</a>
        <Header frame={frame} current={path} query={query} searched={searched} />
        <main id="content" tabIndex={-1}>{children}</main>
        <Footer frame={frame} />
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

interface HeaderProps extends Pick<LayoutProps, "frame" | "searched"> {
  current: string | undefined;
  /** What is followed. */
  query: string;
}

function Header({ frame, current, query, searched }: HeaderProps) {
  const { services: { config }, site } = frame;
  const places = [
    { path: "/", name: "Roadmap" },
    ...site.variant.hasChangelog ? [{ path: "/changelog", name: "Changelog" }] : [],
    { path: "/insights", name: "Insights" },
  ];
  return (
    <header class="site-header">
      <div class="bar">
        <Brand frame={frame} />
        <nav aria-label="Pages">
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
          Follow
        </a>
      </div>
    </header>
  );
}

function Footer({ frame: { services: { config }, site } }: { frame: SiteFrame }) {
  return (
    <footer class="site-footer" id="footer">
      <div class="bar">
        <p>
          {config.SITE_IMPRINT ?? `${config.SITE_NAME}: what is planned, and what has shipped.`}
        </p>
        <ul>
          <Links links={config.SITE_FOOTER_LINKS} />
          <li>
            <a href={`${site.path}/rss.xml`}>RSS feed</a>
          </li>
          <li>
            <a href={`${site.path}/api`}>API</a>
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
