import { parseParameters } from "../../lib/http/requests/parameters.ts";
import { describeChanges } from "../../lib/roadmap/changes/change_in_words.ts";
import { type History, readHistory } from "../../lib/roadmap/changes/history_sql.ts";
import type { Item } from "../../lib/roadmap/item.ts";
import { findRelease, RELEASE_PATH } from "../../lib/roadmap/releases.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import { isStated } from "../../lib/roadmap/stated.ts";
import { listTagGroups } from "../../lib/roadmap/filter/filter_values.ts";
import { blogAddress } from "../../lib/roadmap/variant.ts";
import { formatPlanned } from "../../lib/text/dates.ts";
import { formatDescription } from "../../lib/text/description.ts";
import { escapeMarkdown, htmlToMarkdown } from "../../lib/text/markdown.ts";
import { joinParts, toLine } from "../../lib/text/phrases.ts";
import { cleanName } from "../../lib/text/plain_text.ts";
import { HISTORY_LENGTH } from "../../lib/ui/release_parts.tsx";
import type { ReadConfig, ReadHandlers } from "../route.ts";
import { say } from "../../lib/text/messages.ts";

export const config: ReadConfig = {
  pattern: String.raw`/release/:markdown_file{[^/]+\.md}`,
  cache: "data",
  errors: "json",
  summary: "One release as Markdown",
};

export const handler: ReadHandlers = {
  GET: {
    read({ path: { markdown_file } }, context) {
      const release_item_id = markdown_file!.slice(0, -".md".length);
      const { release_item_id: id } = parseParameters(RELEASE_PATH, { release_item_id });
      return {
        normalised: id,
        async build() {
          const { services: { database }, site } = context;
          const { variant } = site;
          const item = await findRelease(id, context);
          const history = await readHistory(database, id, {
            variant,
            per: "modification",
            end: HISTORY_LENGTH,
          });
          return {
            contentType: "text/markdown; charset=utf-8",
            body: writeReleaseMarkdown(item, history, site),
            headers: { Link: `<${site.url}/release/${id}>; rel="canonical"` },
          };
        },
      };
    },
  },
};

/** A release with its history as Markdown, as its page shows them. */
function writeReleaseMarkdown(item: Item, history: History, site: Site): string {
  const { release_item_id: id, feature_description: description } = item;
  const api = `${site.url}/api/releases`;
  return [
    `# ${escapeMarkdown(cleanName(item.feature_name))}`,
    listFacts(item, site),
    `## ${say("field.feature_description")}`,
    description === null
      ? say("release.no_description_yet")
      : writeDescription(description, blogAddress(item, site.variant)),
    `## ${say("release.history")}`,
    listHistory(history, site),
    say("markdown.json", {
      release: `<${api}?release_item_id=${id}>`,
      history: `<${api}/history/${id}>`,
    }),
  ].join("\n\n") + "\n";
}

function listFacts(item: Item, { url, variant }: Site): string {
  const { active, last_modified, release_date: date, product_names: products } = item;
  const post = blogAddress(item, variant);
  const facts: [name: string, value: string][] = [
    ...factIf(
      isStated(item.release_status),
      say("field.release_status"),
      named(item.release_status),
    ),
    ...factIf(!active, say("change.removed"), last_modified),
    ...factIf(isStated(item.release_type), say("list.type"), named(item.release_type)),
    [
      say("release.planned_date"),
      date === null ? say("figure.none") : formatPlanned(variant.formatDate(date)),
    ],
    [
      say(products.length > 1 ? "preference.products" : "field.product_name"),
      joinParts(products.map(named)),
    ],
    ...listTagGroups(item.tags)
      .map(([group, values]): [string, string] => [named(group), joinParts(values.map(named))]),
    ...factIf(post !== null, say("release.announcement"), linkTo(post ?? "", item.blog_title)),
    [say("markdown.modified"), last_modified],
    [say("markdown.page"), `<${url}/release/${item.release_item_id}>`],
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
  return htmlToMarkdown(html);
}

/** The newest import first. */
function listHistory({ changes, total }: History, { variant }: Site): string {
  const imports = [...Map.groupBy(changes, ({ run_id }) => run_id).values()];
  const lines = imports.flatMap((changes) =>
    describeChanges(variant, changes).map(({ text }) => `- ${changes[0]!.day}: ${named(text)}`)
  );
  const older = total - imports.length;
  return [...lines, ...older > 0 ? [`- ${say("markdown.older", { count: older })}`] : []].join(
    "\n",
  );
}
