import { Name } from "../../../components/name.tsx";
import type { Item } from "../../roadmap/item.ts";
import type { Site } from "../../roadmap/sites.ts";
import { blogAddress } from "../../roadmap/variant.ts";
import { cleanName } from "../../text/clean_name.ts";
import { formatDescription } from "../../text/description.ts";

/** The longest description on a page, in characters. */
const DESCRIPTION_LENGTH = 20_000;

/** What a release is, as its source describes it. */
export function Description({ item, site }: { item: Item; site: Site }) {
  const { feature_description: text, release_item_id: id } = item;
  if (text === null) return <p class="quiet">No description yet.</p>;
  const __html = formatDescription(text, blogAddress(item, site.variant));
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

/** Where its announcement is. */
export function BlogLink({ item, site }: { item: Item; site: Site }) {
  const address = blogAddress(item, site.variant);
  if (address === null) return null;
  const { blog_title } = item;
  return (
    <p class="blog-link">
      <span class="quiet">Announcement</span>{" "}
      <a href={address} rel="noopener noreferrer">
        <Name text={blog_title ? cleanName(blog_title) : address} />
      </a>{" "}
      <span class="quiet">{hostOf(address)}</span>
    </p>
  );
}

/** Empty where the address cannot be read. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "";
}
