import type { Site } from "../roadmap/sites.ts";
import type { Services } from "../service/services.ts";

/** What every page needs to know about its site; the context of a route is one. */
export interface PageContext {
  readonly services: Pick<Services, "config" | "assets" | "firstDay" | "clock">;
  readonly site: Site;
}

/** The address of a file of static/, or of a built script by its hashed name. */
export function assetPath({ services: { config } }: PageContext, hashedName: string): string {
  return `${config.basePath}/assets/${hashedName}`;
}

/** The height of the logo in the header, in pixels. */
const LOGO_HEIGHT = 28;
/** A logo that is wider than high by this factor is taken for one that holds the name. */
const WORDMARK_RATIO = 2;

/** The logo and the name, which lead to the roadmap. */
export function Brand({ context }: { context: PageContext }) {
  const { services: { config: { SITE_NAME: siteName }, assets: { logo } }, site } = context;
  const hasName = logo !== null && logo.width / logo.height >= WORDMARK_RATIO;
  return (
    <a class="brand" href={`${site.path}/`}>
      <Logo context={context} alt={hasName ? siteName : ""} />
      {!hasName && <span>{siteName}</span>}
    </a>
  );
}

function Logo({ context, alt }: { context: PageContext; alt: string }) {
  const { assets } = context.services;
  const { logo } = assets;
  if (!logo) return <Mark />;
  return (
    <img
      class="logo"
      src={assetPath(context, assets.nameOf(logo.name))}
      alt={alt}
      width={Math.max(1, Math.round(LOGO_HEIGHT * logo.width / logo.height))}
      height={LOGO_HEIGHT}
    />
  );
}

/** Our own logo, a road that rises to a point, as in static/favicon.svg. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="9" />
      <path class="mark-road" d="M8 23c6 0 4-8 9-8s4-6 7-6" />
      <circle class="mark-goal" cx="24" cy="9" r="3" />
    </svg>
  );
}

/** A picture of one page for previews of its links. */
export interface LinkPicture {
  /** Absolute. */
  url: string;
  /** What it shows, in words. */
  alt: string;
  /** In pixels. */
  width: number;
  height: number;
}

/** What the head says of the pictures for tabs, home screens and previews of links. */
export function Signs({ context, picture }: { context: PageContext; picture?: LinkPicture }) {
  const { assets } = context.services;
  const { icon, touchIcon } = assets.signs;
  const type = icon.endsWith(".svg") ? "image/svg+xml" : "image/png";
  return (
    <>
      <link rel="icon" type={type} href={assetPath(context, assets.nameOf(icon))} />
      {touchIcon && (
        <link rel="apple-touch-icon" href={assetPath(context, assets.nameOf(touchIcon))} />
      )}
      {picture ? <PagePreview {...picture} /> : <SitePreview context={context} />}
    </>
  );
}

function PagePreview({ url, alt, width, height }: LinkPicture) {
  return (
    <>
      <meta property="og:image" content={url} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(width)} />
      <meta property="og:image:height" content={String(height)} />
      <meta property="og:image:alt" content={alt} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

function SitePreview({ context: { services: { config, assets } } }: { context: PageContext }) {
  const { preview } = assets.signs;
  return (
    <>
      {preview && (
        <>
          <meta
            property="og:image"
            content={`${config.BASE_URL}/assets/${assets.nameOf(preview)}`}
          />
          <meta property="og:image:type" content="image/png" />
          <meta property="og:image:alt" content={config.SITE_NAME} />
        </>
      )}
      <meta
        name="twitter:card"
        content={preview === "preview.png" ? "summary_large_image" : "summary"}
      />
    </>
  );
}
