/** What somebody writes about a release, in the languages of the tools that they write it in. */
export interface Text {
  name: string;
  /** In a tracker, a table or a file. */
  markdown?: string;
  /** In a feed, or an API that answers in HTML. */
  html?: string;
  /** On a Jira server, and in Jira Cloud. */
  wiki?: string;
  document?: readonly object[];
  /** Where there are no marks at all. */
  plain?: string;
  /** The words that a reader sees, whatever it was written in. */
  shows: string;
  /** Elements of the page. */
  elements?: readonly string[];
  /** Words that searches find it by. */
  finds?: readonly string[];
  /** What nobody sees or finds, not even a program. */
  hidden?: string;
}

const paragraph = (...content: object[]) => [{ type: "paragraph", content }];
const text = (text: string, ...marks: object[]) => ({ type: "text", text, marks });
const SOURCE = "https://vendor.example/guide";

/** Texts in which a mark, a tag or a sign could be taken for another. */
export const TEXTS: readonly Text[] = [
  {
    name: "emphasis, a link and a list",
    markdown: `Now **bolder** and *leaning*, see [the guide](${SOURCE}).\n\n- First\n- Second`,
    html: `<p>Now <b>bolder</b> and <i>leaning</i>, see <a href="${SOURCE}">the guide</a>.</p>` +
      "<ul><li>First</li><li>Second</li></ul>",
    wiki: `Now *bolder* and _leaning_, see [the guide|${SOURCE}].\n\n* First\n* Second`,
    shows: "Now bolder and leaning, see the guide. First Second",
    elements: ["strong", "em", "a", "li"],
    finds: ["bolder", "leaning", "second"],
  },
  {
    name: "a tag that prose speaks of",
    markdown: "Supports the <script> tag. Then **strong words** follow.\n\n" +
      `The next paragraph has a [link](${SOURCE}).`,
    html: "<p>Supports the &lt;script&gt; tag. Then <b>strong words</b> follow.</p>" +
      `<p>The next paragraph has a <a href="${SOURCE}">link</a>.</p>`,
    wiki: `Supports the <script> tag. Then *strong words* follow.\n\n` +
      `The next paragraph has a [link|${SOURCE}].`,
    document: [
      ...paragraph(
        text("Supports the <script> tag. Then "),
        text("strong words", { type: "strong" }),
        text(" follow."),
      ),
      ...paragraph(
        text("The next paragraph has a "),
        text("link", { type: "link", attrs: { href: SOURCE } }),
        text("."),
      ),
    ],
    shows: "Supports the <script> tag. Then strong words follow. The next paragraph has a link.",
    elements: ["strong", "a"],
    finds: ["script", "strong"],
  },
  ...["iframe", "style", "textarea", "title", "xmp", "noscript", "plaintext", "svg", "select"].map((
    tag,
  ): Text => ({
    name: `a tag that would take everything behind it: ${tag}`,
    markdown: `<${tag}> is **gone** for good`,
    html: `<p>&lt;${tag}&gt; is <strong>gone</strong> for good</p>`,
    wiki: `<${tag}> is *gone* for good`,
    shows: `<${tag}> is gone for good`,
    elements: ["strong"],
    finds: [tag, "gone"],
  })),
  {
    name: "marks of Markdown that are none where they were written",
    html: "<p>Put it between &lt;b&gt; and &lt;/b&gt;.</p><p>Override __init__ and *args*.</p>" +
      "<p># of users: 5</p><p>1. May</p><p>- 3 degrees</p><p>&gt; 5</p><p>a<br>---</p>" +
      "<p>C:\\*.tmp [x](y) `q` ~~z~~ &amp;amp;</p>",
    document: [
      ...paragraph(text("Put it between <b> and </b>.")),
      ...paragraph(text("Override __init__ and *args*.")),
      ...paragraph(text("# of users: 5")),
      ...paragraph(text("1. May")),
      ...paragraph(text("- 3 degrees")),
      ...paragraph(text("> 5")),
      ...paragraph(text("a"), { type: "hardBreak" }, text("---")),
      ...paragraph(text("C:\\*.tmp [x](y) `q` ~~z~~ &amp;")),
    ],
    shows: "Put it between <b> and </b>. Override __init__ and *args*. # of users: 5 1. May " +
      "- 3 degrees > 5 a --- C:\\*.tmp [x](y) `q` ~~z~~ &amp;",
    finds: ["init", "args", "degrees"],
  },
  {
    name: "the same in plain text",
    plain: "Override __init__ with <b> and *args*, [x](y), `q`.",
    shows: "Override __init__ with <b> and *args*, [x](y), `q`.",
    finds: ["init", "args"],
  },
  {
    name: "signs that are no marks",
    markdown: "2 * 3 < 7 & 5 > 4, snake_case_name, ~5, C#, a|b, 50% -- [1] (x) R&D",
    html:
      "<p>2 * 3 &lt; 7 &amp; 5 &gt; 4, snake_case_name, ~5, C#, a|b, 50% -- [1] (x) R&amp;D</p>",
    plain: "2 * 3 < 7 & 5 > 4, snake_case_name, ~5, C#, a|b, 50% -- [1] (x) R&D",
    shows: "2 * 3 < 7 & 5 > 4, snake_case_name, ~5, C#, a|b, 50% -- [1] (x) R&D",
  },
  {
    name: "generics, placeholders and addresses between angle brackets",
    markdown: "Supports List<quokka>, Map<K, Wallaby> and <your name>, see " +
      "<https://autolink.example/wombat> or <numbat@mail.example>.",
    html: "<p>Supports List&lt;quokka&gt;, Map&lt;K, Wallaby&gt; and &lt;your name&gt;, see " +
      "https://autolink.example/wombat or numbat@mail.example.</p>",
    shows: "Supports List<quokka>, Map<K, Wallaby> and <your name>, see " +
      "https://autolink.example/wombat or numbat@mail.example.",
    finds: ["quokka", "wallaby", "wombat", "numbat"],
  },
  {
    name: "raised and lowered numbers",
    markdown: "Up to 10<sup>9</sup> rows of H<sub>2</sub>O for the 1<sup>st</sup> time.",
    html: "<p>Up to 10<sup>9</sup> rows of H<sub>2</sub>O for the 1<sup>st</sup> time.</p>",
    wiki: "Up to 10{^}9{^} rows of H{~}2{~}O for the 1{^}st{^} time.",
    document: paragraph(
      text("Up to 10"),
      text("9", { type: "subsup", attrs: { type: "sup" } }),
      text(" rows of H"),
      text("2", { type: "subsup", attrs: { type: "sub" } }),
      text("O for the 1"),
      text("st", { type: "subsup", attrs: { type: "sup" } }),
      text(" time."),
    ),
    shows: "Up to 10⁹ rows of H₂O for the 1st time.",
    elements: ["sup", "sub"],
  },
  {
    name: "code with comments, tags, entities and marks",
    markdown: "Use `<!-- note -->` and ``a `<b>` &amp; **c**``.\n\n```html\n<!-- block -->\n" +
      "<p>*x*</p>\n```\n\n    <!-- indented -->\n\n~~~\n<!-- tilde -->\n~~~\nEnd",
    html:
      "<p>Use <code>&lt;!-- note --&gt;</code> and <code>a `&lt;b&gt;` &amp;amp; **c**</code>.</p>" +
      "<pre><code>&lt;!-- block --&gt;\n&lt;p&gt;*x*&lt;/p&gt;\n</code></pre>" +
      "<pre><code>&lt;!-- indented --&gt;</code></pre><pre><code>&lt;!-- tilde --&gt;</code></pre><p>End</p>",
    document: [
      ...paragraph(
        text("Use "),
        text("<!-- note -->", { type: "code" }),
        text(" and "),
        text("a `<b>` &amp; **c**", { type: "code" }),
        text("."),
      ),
      { type: "codeBlock", content: [text("<!-- block -->\n<p>*x*</p>")] },
      { type: "codeBlock", content: [text("<!-- indented -->")] },
      { type: "codeBlock", content: [text("<!-- tilde -->")] },
      ...paragraph(text("End")),
    ],
    shows: "Use <!-- note --> and a `<b>` &amp; **c**. <!-- block --> <p>*x*</p> " +
      "<!-- indented --> <!-- tilde --> End",
    elements: ["code", "pre"],
    finds: ["note", "block"],
  },
  {
    name: "comments of templates",
    markdown: "<!-- Describe the\n\nsecretive feature -->\nBefore <!-- secretive --> after" +
      "&lt;!-- secretive --&gt;.\n\n- One <!-- secretive `code` -->\n- Two",
    html:
      "<!-- secretive --><p>Before <!-- secretive -->after.</p><ul><li>One</li><li>Two</li></ul>",
    shows: "Before after. One Two",
    hidden: "secretive",
    finds: ["before", "after"],
  },
  {
    name: "a list of tasks",
    markdown: "- [ ] Open\n- [x] Done\n* [X] Finished",
    html: '<ul><li><input type="checkbox" disabled> Open</li>' +
      '<li><input type="checkbox" checked> Done</li><li><input type="checkbox" checked> Finished</li></ul>',
    shows: "☐ Open ☑ Done ☑ Finished",
    elements: ["li"],
  },
  {
    name: "the HTML of GitHub",
    markdown: "<details>\n<summary>More about it</summary>\n\nPress <kbd>Ctrl</kbd>, **boldly**, " +
      '<ins>new</ins>, <mark>marked</mark>, <abbr title="x">HTML</abbr>.\n\n</details>\n\n' +
      '<picture><source media="(x)" srcset="y"><img alt="Platypus" src="z"></picture>',
    html: "<details open><summary>More about it</summary><p>Press <kbd>Ctrl</kbd>, " +
      '<strong>boldly</strong>, <ins>new</ins>, <mark>marked</mark>, <abbr title="x">HTML</abbr>.</p>' +
      '</details><picture><source media="(x)" srcset="y"><img alt="Platypus" src="https://x.example/z">' +
      "</picture>",
    shows: "More about it Press Ctrl, boldly, new, marked, HTML. Platypus",
    elements: ["strong"],
    finds: ["platypus", "boldly"],
  },
  {
    name: "what was struck out",
    markdown: "Costs ~~ten~~ five",
    html: "<p>Costs <del>ten</del> five</p>",
    wiki: "Costs -ten- five",
    document: paragraph(text("Costs "), text("ten", { type: "strike" }), text(" five")),
    shows: "Costs ten five",
    elements: ["del"],
  },
  {
    name: "scripts without blanks",
    markdown: "これは**新機能（重要）。**詳細と**「強調」**です。",
    html: "<p>これは<b>新機能（重要）。</b>詳細と<b>「強調」</b>です。</p>",
    shows: "これは新機能（重要）。詳細と「強調」です。",
    elements: ["strong"],
  },
  {
    name: "a line that begins with emphasis, without blanks",
    markdown: "**新機能（重要）。**詳細",
    html: "<p><b>新機能（重要）。</b>詳細</p>",
    shows: "新機能（重要）。詳細",
    elements: ["strong"],
  },
  {
    name: "emphasis that ends in a bracket",
    markdown: "**중요(주의)**입니다. **Note (x)** and **bold** here.",
    html: "<p><b>중요(주의)</b>입니다. <b>Note (x)</b> and <b>bold</b> here.</p>",
    shows: "중요(주의)입니다. Note (x) and bold here.",
    elements: ["strong"],
  },
  {
    name: "preformatted text, and an attribute with a bracket",
    html:
      '<pre># no heading\n* no item</pre><p><a href="https://a.example" title="x > y">z</a></p>',
    markdown:
      '```\n# no heading\n* no item\n```\n\n<a href="https://a.example" title="x > y">z</a>',
    shows: "# no heading * no item z",
    elements: ["pre", "a"],
  },
  {
    name: "right to left",
    markdown: "ميزة **جديدة** لإصدار `v2` مع <مرحبا> ועוד",
    html: "<p>ميزة <b>جديدة</b> لإصدار <code>v2</code> مع &lt;مرحبا&gt; ועוד</p>",
    plain: "ميزة جديدة لإصدار v2 مع <مرحبا> ועוד",
    shows: "ميزة جديدة لإصدار v2 مع <مرحبا> ועוד",
    finds: ["جديدة", "لإصدار", "ועוד"],
  },
  {
    name: "entities",
    markdown: "caf&eacute; &ndash; R&amp;D &quot;now&quot; &#8230;",
    html: "<p>caf&eacute; &ndash; R&amp;D &quot;now&quot; &#8230;</p>",
    shows: 'café – R&D "now" …',
    finds: ["café"],
  },
  {
    name: "a table",
    markdown: "| Plan | Rows |\n| --- | --- |\n| Free | <none> |\n| Pro | 10 |",
    shows: "Plan Rows Free <none> Pro 10",
    elements: ["table", "td"],
    finds: ["none"],
  },
  {
    name: "escaped marks",
    markdown: "Keep \\*stars\\*, \\_lines\\_, \\<b>, \\`ticks\\` and C:\\\\dir",
    shows: "Keep *stars*, _lines_, <b>, `ticks` and C:\\dir",
    finds: ["stars", "ticks"],
  },
];
