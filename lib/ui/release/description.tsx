import { Name } from "../../../islands/name.tsx";
import type { Item } from "../../roadmap/item.ts";
import type { Site } from "../../roadmap/sites.ts";
import { cleanName } from "../../text/clean_name.ts";
import { formatDescription } from "../../text/description.ts";

/** The longest description on a page, in characters. */
const DESCRIPTION_LENGTH = 20_000;

/** What a release is, as its source describes it. */
export function Description({ item, site }: { item: Item; site: Site }) {
  const { feature_description: text, release_item_id: id } = item;
  if (text === null) return <p class="quiet">No description yet.</p>;
  const __html = formatDescription(text);
  return (
    <>
      <div class="description prose" dir="auto" dangerouslySetInnerHTML={{ __html }} />
      {text.length > DESCRIPTION_LENGTH && (
        <p class="notice">
          Only the beginning of this long description is shown.{" "}
          <a href={`${site.path}/api/releases?release_item_id=${id}`}>Full description (JSON)</a>
        </p>
      )}
    </>
  );
}

/** Only http(s) URLs become links, since the source is not trusted. */
export function BlogLink({ item, site }: { item: Item; site: Site }) {
  const { blog_url, blog_title } = item;
  if (site.variant.hiddenFields.includes("blog_url")) return null;
  if (!blog_url || !/^https?:\/\//i.test(blog_url)) return null;
  return (
    <p class="blog-link">
      <span class="quiet">Announcement</span>{" "}
      <a href={blog_url} rel="noopener noreferrer">
        <Name text={blog_title ? cleanName(blog_title) : blog_url} />
      </a>{" "}
      <span class="quiet">{hostOf(blog_url)}</span>
    </p>
  );
}

/** Empty where the address cannot be read. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "";
}
