import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { decodeHTML } from "entities";
import { marked } from "marked";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import type { MappedItem } from "../../lib/import/mapping/table.ts";
import { sql } from "../../lib/database/sql.ts";
import { xml } from "../../lib/text/xml.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { readAt, readTable, type Said } from "../support/read_table.ts";
import { slowOnOne } from "../support/slow.ts";
import { serveGithub } from "../support/servers/github_server.ts";
import { makeIssue, serveJira } from "../support/servers/jira_server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";
import { type Text, TEXTS } from "../support/subjects/texts.ts";
import { toolRequest } from "../support/subjects/tool_request.ts";

/** A source with one release for each text, in the order of the texts. */
interface SourceOfTexts {
  /** How the texts are written there. */
  form: "markdown" | "html" | "wiki" | "document" | "plain";
  read(texts: readonly (string | readonly object[])[]): Promise<MappedItem[]>;
}

const nameOf = (place: number) => `Release ${String(place).padStart(3, "0")}`;
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** A file of a kind of source. */
function file(
  form: SourceOfTexts["form"],
  write: (texts: readonly string[]) => string,
  said: Said = {},
): SourceOfTexts {
  return {
    form,
    read: async (texts) => (await readTable("plan.json", write(texts as string[]), said)).items,
  };
}

const rowsOf = (texts: readonly string[]) =>
  texts.map((description, place) => ({
    ...{
      id: `R-${place}`,
      name: nameOf(place),
      product: "Widgets",
      status: "Planned",
    },
    description,
  }));

const csv = (texts: readonly string[]) =>
  "Key,Title,Product,Status,Description\n" +
  texts.map((text, place) => `R-${place},${nameOf(place)},Widgets,Planned,${quoted(text)}`).join(
    "\n",
  );

const rss = (describe: (text: string) => string) => (texts: readonly string[]) =>
  `<rss version="2.0"><channel><title>News</title>${
    texts.map((text, place) =>
      `<item><guid>${place}</guid><title>${nameOf(place)}</title>${describe(text)}</item>`
    ).join("")
  }</channel></rss>`;

const atom = (type: string) => (texts: readonly string[]) =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>${
    texts.map((text, place) =>
      xml`
        <entry>
          <id>${place}</id>
          <title>${nameOf(place)}</title>
          <updated>2026-07-01T00:00:00Z</updated>
          <content type="${type}">${text}</content>
        </entry>
      `
        .text
    ).join("")
  }</feed>`;

const jsonFeed = (field: string) => (texts: readonly string[]) =>
  JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: "News",
    items: texts.map((text, place) => ({
      id: `${place}`,
      title: nameOf(place),
      [field]: text,
    })),
  });

/** What differs in the answers of Microsoft's APIs is not about texts. */
const odata = (context: string, more: object) => (texts: readonly string[]) =>
  JSON.stringify({
    "@odata.context": `https://x.example/api/v2/$metadata#${context}`,
    value: texts.map((description, place) => ({
      ...{ id: String(1_000 + place), title: nameOf(place), description, products: ["Widgets"] },
      ...{ status: "In development", created: "2026-01-01T00:00:00Z" },
      ...{ modified: "2026-01-01T00:00:00Z", availabilities: [], ...more },
    })),
  });

const calendar = (texts: readonly string[]) =>
  [
    "BEGIN:VCALENDAR",
    ...texts.flatMap((text, place) => [
      "BEGIN:VEVENT",
      `UID:${place}`,
      `SUMMARY:${nameOf(place)}`,
      "DTSTART;VALUE=DATE:20261001",
      `DESCRIPTION:${text.replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n")}`,
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ].join("\r\n");

const jira = (edition: "cloud" | "data center", form: SourceOfTexts["form"]): SourceOfTexts => ({
  form,
  async read(texts) {
    const issues = texts.map((text, place) =>
      makeIssue(place, {
        summary: nameOf(place),
        description: typeof text === "string" ? text : { type: "doc", version: 1, content: text },
      })
    );
    await using server = serveJira({ edition, issues, pageSize: 100 });
    return await readAt(`jira:${server.url}/jira/WID`, { settings: readConfig({}) });
  },
});

const SOURCES: Record<string, SourceOfTexts> = {
  json: file("markdown", (texts) => JSON.stringify(rowsOf(texts))),
  "our own names": file("markdown", (texts) =>
    JSON.stringify(
      texts.map((feature_description, place) =>
        makeItem(place, { feature_name: nameOf(place), feature_description })
      ),
    )),
  ndjson: file("markdown", (texts) => rowsOf(texts).map((row) => JSON.stringify(row)).join("\n")),
  csv: file("markdown", csv),
  "csv with HTML": file("html", csv, {
    fields: { feature_description: { from: "Description", format: "html" } },
  }),
  "Jira's csv": file(
    "wiki",
    (texts) =>
      "Issue key,Issue id,Summary,Project name,Status,Description\n" +
      texts.map((text, place) =>
        `R-${place},${place + 1},${nameOf(place)},Widgets,To Do,${quoted(text)}`
      ).join("\n"),
  ),
  xlsx: {
    form: "markdown",
    async read(texts) {
      const rows = rowsOf(texts as string[]).map((row) => Object.values(row));
      const header = ["Key", "Title", "Product", "Status", "Description"];
      return (await readTable("plan.xlsx", makeSpreadsheet({ Sheet: [header, ...rows] }))).items;
    },
  },
  github: {
    form: "markdown",
    async read(texts) {
      const issues = (texts as string[]).map((body, place) => ({
        ...{ number: place + 1, title: nameOf(place), body },
      }));
      await using server = serveGithub({ issues, pageSize: 100 });
      return await readAt("github:acme/roadmap", {
        settings: readConfig({ GITHUB_API_URL: server.url }),
      });
    },
  },
  gitlab: {
    form: "markdown",
    async read(texts) {
      const issues = (texts as string[]).map((description, place) => ({
        ...{ id: place, iid: place, title: nameOf(place), description, state: "opened" },
        web_url: `https://gitlab.example/a/b/-/issues/${place}`,
      }));
      await using server = serveSource((_, url) =>
        url.pathname.includes("/projects/")
          ? Response.json(issues)
          : new Response(null, { status: 404 })
      );
      return await readAt("gitlab:a/b", { settings: readConfig({ GITLAB_URL: server.url }) });
    },
  },
  "RSS, escaped": file(
    "html",
    rss((text) => xml`<description>${text}</description>`.text),
  ),
  "RSS, CDATA": file(
    "html",
    rss((text) => `<description><![CDATA[${text}]]></description>`),
  ),
  "Atom in HTML": file("html", atom("html")),
  "Atom in plain text": file("plain", atom("text")),
  "JSON Feed in HTML": file("html", jsonFeed("content_html")),
  "JSON Feed in plain text": file("plain", jsonFeed("content_text")),
  m365: file("html", odata("M365", { releaseRings: [], platforms: [], cloudInstances: [] })),
  azure: file(
    "html",
    odata("Azure", { productCategories: [], privatePreviewAvailabilityDate: null }),
  ),
  "ics in HTML": file("html", calendar, { kind: "ics" }),
  "Jira server": jira("data center", "wiki"),
  "Jira cloud": jira("cloud", "document"),
};

/** The stored descriptions of all releases, by name. */
async function descriptionsIn(database: Database): Promise<string[]> {
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases?page_size=200");
  const byName = (one: Record<string, string>, other: Record<string, string>) =>
    one.feature_name! < other.feature_name! ? -1 : 1;
  return data.toSorted(byName).map((
    { feature_description }: Record<string, string>,
  ) => feature_description);
}

/** The words of a text, without what only divides them. */
const wordsOf = (text: string) => text.replace(/[\s·]+/g, "").normalize("NFC");

/** The words of HTML, as a person sees them. */
function shownBy(html: string): string {
  const signs = html.replace(
    /<(sup|sub)>([0-9])<\/\1>/g,
    (_, tag, digit) => (tag === "sup" ? "⁰¹²³⁴⁵⁶⁷⁸⁹" : "₀₁₂₃₄₅₆₇₈₉")[digit]!,
  );
  return wordsOf(decodeHTML(signs.replace(/<\/?[a-z][^<>]*>/gi, "")));
}

slowOnOne("Every kind of source reads texts as they were written", async (database) => {
  const seen = new Map<
    string,
    { text: Text; description: string; of: string }
  >();
  for (const [of, { form, read }] of Object.entries(SOURCES)) {
    const texts = TEXTS.filter((text) => text[form] !== undefined);
    const items = await read(texts.map((text) => text[form]!));
    const found = items.map(({ feature_description }) => feature_description);
    assertEquals(found.length, texts.length, of);
    for (const [place, text] of texts.entries()) {
      const description = found[place]!;
      const key = `${text.name}\n${description}`;
      if (!seen.has(key)) seen.set(key, { text, description, of });
    }
  }
  await checkOutputs(database, [...seen.values()]);
});

testOnDatabases(
  "What only this version reads in another way changes without a word",
  async (database) => {
    const text = '<p>Of &lt;b&gt;: __x__, 10<sup>9</sup> "\\_"</p><!-- note -->';
    const read = () =>
      importItems(database, rss(() => xml`<description>${text}</description>`.text)([text]));
    assertEquals((await read()).added, 1);
    await database.query(sql`
      update item_rows set feature_description = 'Of <b>: __x__, 109 "\_"<!-- note -->'
    `);
    await database.query(sql`update item_texts set search_text = 'of'`);
    const { changed, unchanged } = await read();
    assertEquals({ changed, unchanged }, { changed: 0, unchanged: 1 });
    assertEquals(await descriptionsIn(database), [
      'Of \\<b>: \\_\\_x\\_\\_, 10<sup>9</sup> "\\\\_"',
    ]);
    await using app = await startApp(database);
    assertEquals((await app.json("/search.json?q=109")).total, 0);
    assertEquals((await app.json("/api/changes")).data.length, 1);
    // Another word is a change, whatever else differs.
    await importItems(database, rss(() => "<description>Of c: x, 109</description>")([text]));
    const kinds = (await app.json("/api/changes")).data.map(({ kind }: { kind: string }) => kind);
    assertEquals(kinds.length, 2);
  },
);

/** A description that a source was read as. */
interface Found {
  text: Text;
  description: string;
  /** The source. */
  of: string;
}

/** Expects that everything that is made of descriptions says what they say. */
async function checkOutputs(database: Database, found: readonly Found[]): Promise<void> {
  await emptyDatabase(database);
  await using services = await startDigests(database);
  await importItems(database, [makeItem(0)]);
  await services.verify("ann@example.com");
  await importItems(
    database,
    found.map(({ description }, place) =>
      makeItem(place + 1, {
        feature_description: description,
        product_name: `P${place + 1}`,
      })
    ),
    { partial: true },
  );
  const [mail] = await services.digest();
  // The first ones are listed with a sentence each.
  const sentences = new Map(
    [...mail!.text!.matchAll(/^\* (.*)\n.*\n {2}(?!http)(.*)$/gm)].map((
      [, name, line],
    ) => [name!, line!]),
  );
  assert(sentences.size > 5, mail!.text);
  const wrong: string[] = [];
  for (const [index, { text, description, of }] of found.entries()) {
    const say = (what: string) =>
      wrong.push(
        `${of}, ${text.name}: ${what}, of ${JSON.stringify(description)}`,
      );
    const { page, words } = await readOutputs(services.app, index + 1);
    const wanted = wordsOf(text.shows);
    for (const [output, found] of Object.entries(words)) {
      if (found !== (output === "Markdown" ? wanted.replaceAll("**", "") : wanted)) {
        say(`${output} says ${found}`);
      }
    }
    const sentence = sentences.get(`Feature ${index + 1}`);
    if (sentence && !wanted.includes(wordsOf(sentence).replace(/…$/, ""))) {
      say(`the email says ${sentence}`);
    }
    for (const element of text.elements ?? []) {
      const names = { strong: "strong|b", em: "em|i" }[element] ?? element;
      if (!new RegExp(`<(?:${names})[ >]`).test(page)) {
        say(`<${element}> is not in ${page}`);
      }
    }
    for (const word of [...text.finds ?? [], ...text.hidden ? [text.hidden] : []]) {
      const isWanted = word !== text.hidden;
      for (const modes of SEARCHES) {
        const total = await countFound(
          services.app,
          `${modes}product_name=P${index + 1}&q=${word}`,
        );
        if (total !== (isWanted ? 1 : 0)) {
          say(`${modes} finds ${total} by ${word}`);
        }
      }
    }
    if (text.hidden && description.includes(text.hidden)) {
      say(`the API has ${text.hidden}`);
    }
  }
  assertEquals(wrong, []);
}

/** By words as people ask, by every word, and by a substring. */
const SEARCHES = ["/search.json?", "/api/releases?match=words&", "/api/releases?"];

async function countFound(app: TestApp, path: string): Promise<number> {
  const { total, pagination } = await app.json(path);
  return total ?? pagination.total_items;
}

/** The description on the page of a release, and the words of everything that shows it. */
async function readOutputs(app: TestApp, number: number) {
  const { release_item_id: id } = makeItem(number);
  const read = async (path: string, init?: RequestInit) =>
    await (await app.fetch(path, init)).text();
  const html = await read(`/release/${id}`);
  const page = insideOf(html, '<div class="description prose" dir="auto">');
  const meta = (name: string) =>
    decodeHTML(
      new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)![1]!,
    );
  const one = `product_name=P${number}`;
  const [found] = (await app.json(`/search.json?${one}`)).items;
  const { items: [entry] } = await app.json(`/feed.json?${one}`);
  const inFeed = (feed: string) => {
    const [, content] =
      /<(?:description|content)[^>]*>([^<]*)<\/(?:description|content)>\s*<\/(?:item|entry)>/
        .exec(feed)!;
    return withoutFacts(decodeHTML(content!));
  };
  const document = await read(`/release/${id}.md`);
  const [, markdown] = /\n## Description\n\n([^]*)\n\n## History\n/.exec(document)!;
  const answer = await read("/mcp", toolRequest("get_release", { release_item_id: id }));
  const { result } = JSON.parse(answer.replace(/^[^]*?data: /, "").split("\n")[0]!);
  return {
    page,
    words: {
      page: shownBy(page),
      meta: wordsOf(meta("description")),
      "og:description": wordsOf(meta("og:description")),
      excerpt: wordsOf(found.excerpt),
      RSS: shownBy(inFeed(await read(`/rss.xml?${one}`))),
      Atom: shownBy(inFeed(await read(`/atom.xml?${one}`))),
      "JSON Feed": shownBy(withoutFacts(entry.content_html)),
      // Not every reader of Markdown finds the end of emphasis in scripts without blanks.
      Markdown: shownBy(marked.parse(markdown!, { async: false, breaks: true }))
        .replaceAll("**", ""),
      MCP: wordsOf(result.content[0].text.split("\n\n").slice(1, -1).join("")),
    },
  };
}

/** What stands in an element of a page. */
function insideOf(html: string, opening: string): string {
  const start = html.indexOf(opening) + opening.length;
  let depth = 1;
  for (const { 0: tag, index } of html.slice(start).matchAll(/<\/?div\b/g)) {
    depth += tag === "<div" ? 1 : -1;
    if (depth === 0) return html.slice(start, start + index);
  }
  throw new Error(`${opening} has no end`);
}

/** The kind of change, what changed, and status, type and date. */
function withoutFacts(content: string): string {
  return content.replace(/^(?:<p>.*?<\/p>){3}/s, "");
}
