import { ok as assert, strictEqual as assertEquals } from "node:assert/strict";
import { documentToMarkdown, wikiToMarkdown } from "../../lib/text/jira_markup.ts";
import { testReading } from "../support/read_table.ts";
import { slowTest } from "../support/slow.ts";

/** Jira's markup, and the Markdown that says the same. */
// deno-fmt-ignore
const WIKI: readonly (readonly [markup: string, markdown: string])[] = [
  ["h1. One\ntext\nh6. Six", "# One\n\ntext\n\n###### Six"],
  ["*bold* _italic_ -deleted- +new+ ~sub~ ^sup^", "**bold** _italic_ ~~deleted~~ <u>new</u> <sub>sub</sub> <sup>sup</sup>"],
  ["a*b*c, a-b-c, 5 * 3 * 2, 1 - 2 - 3, -x", "a*b*c, a-b-c, 5 * 3 * 2, 1 - 2 - 3, -x"],
  ["{*}w{*}ord *_both_*", "**w**ord **_both_**"],
  ["{{a_*b*}} and {{x`y}}", "`a_*b*` and ``x`y``"],
  ["{code:java}\nint *a*;\n{code}", "```java\nint *a*;\n```"],
  ["{code:title=A.js|js}\n```\n{code}", "````js\n```\n````"],
  ["see {noformat}*raw*{noformat} here", "see `*raw*` here"],
  ["{code}\nnever closed *b*", "{code}\nnever closed **b**"],
  ["{quote}\none\n*two*\n{quote}\nafter", "> \n> one\n> **two**\n> \n\nafter"],
  ["bq. said", "> said"],
  ["{panel:title=Note|bgColor=#fff}in{panel}out", "**Note**\n\nin\n\nout"],
  ["* a\n** b\n*# c\n* d\n# e\n## f", "- a\n  - b\n  1. c\n- d\n1. e\n   1. f"],
  ["text\n*** deep\n- dash\nafter", "text\n\n- deep\n- dash\n\nafter"],
  ["||A||B||\n|1|*2*|\n|\\||x\\\\y|", "| A | B |\n| --- | --- |\n| 1 | **2** |\n| \\| | x<br>y |"],
  ["|a|!pic.png!|", "| a |  |\n| --- | --- |"],
  ["[a *doc*|https://a.example/x_y_(z)]", "[a **doc**](https://a.example/x_y_%28z%29)"],
  ["[https://a.example/x_y_z] https://a.example/_b_", "https://a.example/x_y_z https://a.example/_b_"],
  ["[u|https://a.example|smart-link] [mailto:a@b.example]", "[u](https://a.example) a@b.example"],
  ["[~jdoe] [~accountid:5b10a] [^a.pdf] [#top] [PROJ-1]", "@jdoe  a.pdf top [PROJ-1]"],
  ["[no|javascript:alert(1)] [no|data:text/html,x] [javascript:alert(1)]", "no no javascript:alert(1)"],
  ["!a b.png|thumbnail! x !https://a.example/b.png! Hi! Ho!", "x ![b.png](https://a.example/b.png) Hi! Ho!"],
  ["{color:red}*red*{color} {anchor:a}text", "**red** text"],
  ["one\\\\two", "one  \ntwo"],
  ["\\*no\\* \\{x\\} \\[y\\]", "\\*no\\* {x} \\[y\\]"],
  ["one\n----\ntwo\n---", "one\n\n---\n\ntwo\n\\---"],
  ["a\r\nb\r\n\r\n\r\n\r\nc", "a\nb\n\nc"],
  ["", ""],
];

Deno.test("Jira's wiki markup becomes Markdown", () => {
  for (const [markup, markdown] of WIKI) assertEquals(wikiToMarkdown(markup), markdown);
});

const MARKS = ["{{a ", "[a", "!a", "*a ", "-a ", "{code:x}", "{quote}", "|", "https://*", "{*}a"];

slowTest("A megabyte of markup is read, however repetitive", () => {
  for (const mark of [...MARKS, "* x\n", "~a^+", "{panel:", "h1. ", "\n", " ", "`"]) {
    wikiToMarkdown(mark.repeat(Math.ceil(1_000_000 / mark.length)));
  }
});

const text = (text: string, ...marks: (string | Record<string, unknown>)[]) => ({
  type: "text",
  text,
  marks: marks.map((mark) => typeof mark === "string" ? { type: mark } : mark),
});
const node = (type: string, ...content: unknown[]) => ({ type, content });
const link = (href: string) => ({ type: "link", attrs: { href } });
const paragraph = (...content: unknown[]) => node("paragraph", ...content);
const item = (...content: unknown[]) => node("listItem", ...content);

/** Nodes of an Atlassian document, and their Markdown. */
const NODES: readonly (readonly [node: unknown, markdown: string])[] = [
  [{ ...node("heading", text("Why")), attrs: { level: 2 } }, "## Why"],
  [paragraph(text("bold ", "strong"), text("all", "em", "strike")), "**bold** ~~_all_~~"],
  [paragraph(text("a`b", "code"), { type: "hardBreak" }, text("x")), "``a`b``  \nx"],
  [paragraph(text("doc", link("https://a.example/(x)"))), "[doc](https://a.example/%28x%29)"],
  [paragraph(text("bad", link("javascript:alert(1)"))), "bad"],
  [
    node("bulletList", item(paragraph(text("a")), node("orderedList", item(paragraph(text("b")))))),
    "- a\n  1. b",
  ],
  [{ ...node("orderedList", item(paragraph(text("x")))), attrs: { order: 3 } }, "3. x"],
  [
    node("taskList", node("taskItem", text("do")), node("taskList", node("taskItem", text("it")))),
    "- do\n  - it",
  ],
  [{ ...node("codeBlock", text("a *b*")), attrs: { language: "js" } }, "```js\na *b*\n```"],
  [node("blockquote", paragraph(text("a")), paragraph(text("b"))), "> a\n> \n> b"],
  [node("panel", paragraph(text("a"))), "a"],
  [{ ...node("expand", paragraph(text("a"))), attrs: { title: "More" } }, "**More**\n\na"],
  [{ type: "rule" }, "---"],
  [
    node(
      "table",
      node("tableRow", node("tableHeader", paragraph(text("A|B"))), node("tableHeader")),
      node("tableRow", node("tableCell", paragraph(text("1")), paragraph(text("2")))),
    ),
    "| A\\|B |  |\n| --- | --- |\n| 1<br>2 |",
  ],
  [node("mediaSingle", { type: "media", attrs: { id: "1" } }), ""],
  [paragraph({ type: "mention", attrs: { text: "@Ann" } }), "@Ann"],
  [paragraph({ type: "emoji", attrs: { shortName: ":x:", text: "🙂" } }), "🙂"],
  [paragraph({ type: "date", attrs: { timestamp: "1767139200000" } }), "2025-12-31"],
  [paragraph({ type: "date", attrs: {} }), ""],
  [paragraph({ type: "inlineCard", attrs: { url: "https://a.example" } }), "https://a.example"],
  [node("unknown", paragraph(text("kept")), null, 1, "x"), "kept"],
];

Deno.test("An Atlassian document becomes Markdown", () => {
  for (const [inner, markdown] of NODES) {
    assertEquals(documentToMarkdown({ type: "doc", version: 1, content: [inner] }), markdown);
  }
});

Deno.test("A deeply nested document is read to a limited depth", () => {
  let deep: unknown = paragraph(text("deep"));
  for (let depth = 0; depth < 20_000; depth++) deep = node("blockquote", deep);
  assert(documentToMarkdown({ type: "doc", content: [deep] }).length < 1_000);
});

const ROW = `"A-1","One","Widgets","Planned","h2. Why\n*bold* [x|javascript:alert(1)]"`;
const PLAIN = `Key,Title,Product,Status,Description\n${ROW}`;
const EXPORT = `Issue key,Summary,Project name,Status,Description,Issue id\n${ROW},1`;
const MARKDOWN = "## Why\n\n**bold** x";
const RAW = "h2. Why\n*bold* [x|javascript:alert(1)]";
const DOCUMENT = { type: "doc", version: 1, content: [paragraph(text("bold", "strong"))] };
const API = [{
  key: "A-1",
  fields: { summary: "One", status: "Planned", project: "Widgets", description: RAW },
}];
const as = (format: string) => ({ feature_description: { from: "Description", format } });

const ADF = PLAIN.replace(/"h2[^]*"/, `"${JSON.stringify(DOCUMENT).replaceAll('"', '""')}"`);
testReading(
  "Markup is read if the source is Jira or the mapping says so",
  ...([
    [PLAIN, RAW],
    [PLAIN, MARKDOWN, as("jira")],
    [EXPORT, MARKDOWN],
    [EXPORT, RAW, as("markdown")],
    [API, MARKDOWN],
    [[{ ...API[0], fields: { ...API[0]!.fields, description: DOCUMENT } }], "**bold**"],
    [ADF, "**bold**", as("adf")],
    [PLAIN, RAW, as("adf")],
  ] as const).map(([of, description, fields]) => ({
    ...{ of, fields, shows: ["feature_description"] as const, is: [description] },
  })),
);
