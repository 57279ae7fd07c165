import { cleanName } from "../text/plain_text.ts";
import { formatPlanned } from "../text/dates.ts";
import { formatDescription } from "../text/description.ts";
import { escapeMarkdown, htmlToMarkdown } from "../text/markdown.ts";
import { toLine } from "../text/phrases.ts";
import { describeChanges } from "../roadmap/changes/change_in_words.ts";
import type { History } from "../roadmap/changes/changes_sql.ts";
import type { Item } from "../roadmap/item.ts";
import type { Site } from "../roadmap/sites.ts";
import { listTagGroups } from "../roadmap/tag_groups.ts";
import { blogAddress } from "../roadmap/variant.ts";

/** A release with its history as Markdown, as its page shows them. */
export function writeReleaseMarkdown(item: Item, history: History, site: Site): string {
  const { release_item_id: id, feature_description: description } = item;
  const api = `${site.url}/api/releases`;
  return [
    `# ${escapeMarkdown(cleanName(item.feature_name))}`,
    listFacts(item, site),
    "## Description",
    description === null
      ? "No description yet."
      : writeDescription(description, blogAddress(item, site.variant)),
    "## History",
    listHistory(history, site),
    `As JSON: <${api}?release_item_id=${id}>, history: <${api}/history/${id}>`,
  ].join("\n\n") + "\n";
}

function listFacts(item: Item, { url, variant }: Site): string {
  const { active, last_modified, release_date: date, product_names: products } = item;
  const post = blogAddress(item, variant);
  const facts: [name: string, value: string][] = [
    ["Status", named(item.release_status)],
    ...factIf(!active, "Removed from the roadmap", last_modified),
    ["Type", named(item.release_type)],
    ["Planned date", date === null ? "none" : formatPlanned(variant.formatDate(date))],
    [products.length > 1 ? "Products" : "Product", products.map(named).join(", ")],
    ...listTagGroups(item.tags)
      .flatMap(([group, values]) => factIf(true, named(group), values.map(named).join(", "))),
    ...factIf(post !== null, "Announcement", linkTo(post ?? "", item.blog_title)),
    ["Modified", last_modified],
    ["Page", `<${url}/release/${item.release_item_id}>`],
  ];
  return facts.map(([name, value]) => `- ${name}: ${value}`).join("\n");
}

function factIf(isThere: boolean, name: string, value: string): [string, string][] {
  return isThere ? [[name, value]] : [];
}

/** A text of the source as one line in which nothing is markup. */
function named(text: string): string {
  return escapeMarkdown(toLine(text));
}

function linkTo(address: string, title: string | null): string {
  return `[${named(title ?? address)}](<${address.replace(/[<>\s\\]/g, encodeURIComponent)}>)`;
}

/** Its headings are below those of the document, and no HTML is in it. */
function writeDescription(description: string, writtenAt: string | null): string {
  const html = formatDescription(description, writtenAt)
    .replace(/<(\/?)h([23])>/g, (_, end, level) => `<${end}h${Number(level) + 1}>`);
  return htmlToMarkdown(html).replace(/<(?=[a-z/!?])/gi, "\\<");
}

/** The newest import first. */
function listHistory({ changes, total }: History, { variant }: Site): string {
  const imports = [...Map.groupBy(changes, ({ run_id }) => run_id).values()];
  const lines = imports.flatMap((changes) =>
    describeChanges(variant, changes).map(({ text }) => `- ${changes[0]!.day}: ${named(text)}`)
  );
  const older = total - imports.length;
  return [...lines, ...older > 0 ? [`- and ${older} older`] : []].join("\n");
}
