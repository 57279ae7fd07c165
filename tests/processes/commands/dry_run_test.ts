import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { join } from "node:path";
import type { Database } from "../../../lib/database/database.ts";
import { openEmbedded } from "../../../lib/database/embedded/embedded.ts";
import { startApp } from "../../support/app.ts";
import { type Ending, runHere, runTask } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";

interface Folder {
  /** Open in this process, whose commands share it. */
  database: Database;
  settings: Record<string, string>;
  /** Writes a file and returns its path. */
  write(name: string, body: unknown): Promise<string>;
}

async function withFolder(
  work: (folder: Folder) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const DATA_DIR = join(folder, "data");
  try {
    await copyMigrated(DATA_DIR);
    await using stack = new AsyncDisposableStack();
    const database = await openEmbedded(DATA_DIR, { shares: true });
    stack.defer(() => database.close());
    await work({
      database,
      settings: { DATA_DIR },
      async write(name, body) {
        const file = join(folder, name);
        await Deno.writeTextFile(
          file,
          typeof body === "string" ? body : JSON.stringify(body),
        );
        return file;
      },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The ETag and the number of items stored, between two commands. */
async function readStored(database: Database): Promise<unknown> {
  await using app = await startApp(database);
  const response = await app.fetch("/api/releases?include_inactive=1");
  return [
    response.headers.get("etag"),
    (await response.json()).pagination.total_items,
  ];
}

const TABLE = "Key;Title;Product;Status;Due;Notes\n" +
  "A-1;Dark mode;Widgets;Planned;Q3 2026;x\n" +
  "A-2;Light mode;Widgets;Planned;31.12.2026;\n" +
  "A-3;No mode\u001b[31m;Widgets;Shipped;;\n";

const tidy = ({ out }: Ending) => out.split("\n").map((line) => line.trim()).filter(Boolean);

Deno.test("A dry run says which column becomes which date", async () => {
  await withFolder(async ({ settings, write }) => {
    const table = (preview: string) =>
      `Title;Status;Release date;Preview date;EOL\nMaps;Planned;Q4 2030;${preview};2033-12-31\n`;
    const file = await write("roadmap.csv", table("2030-06-30"));
    const dryRun = async () => tidy(await runHere(["import", file, "--dry-run"], settings));
    const first = await dryRun();
    const said = first.filter((line) => /date "|^Name|^Maps|is read as/.test(line));
    assertEquals(said.map((line) => line.replace(/ +/g, " ")), [
      'Preview date date "Preview" by its name',
      'EOL date "EOL" by its name',
      "Name Product Type Status Date Other dates",
      "Maps default Not stated Planned 2030-12-31 Preview 2030-06-30, EOL 2033-12-…",
      '"Preview date" is read as the date "Preview".',
      '"EOL" is read as a named date.',
    ]);
    await runHere(["import", file], settings);
    await write("roadmap.csv", table("2030-09-30"));
    assertEquals(
      (await dryRun()).find((line) => line.startsWith("changed")),
      "changed  Maps  dates (Preview): 2030-06-30 -> 2030-09-30",
    );
  });
});

Deno.test("A dry run shows what an import would do, and stores nothing", async () => {
  await withFolder(async ({ database, settings, write }) => {
    const file = await write("roadmap.csv", TABLE);
    const first = await runTask(["import", file, "--dry-run"], settings);
    assertEquals([first.code, first.err], [0, ""]);
    assertEquals(tidy(first), [
      `${file}, read as csv: 3 items. Nothing is stored.`,
      "Column        Field",
      "Key           release_item_id  by its name",
      "Title         feature_name     by its name",
      "Product       product_name     by its name",
      "Status        release_status   by its name",
      "Due           release_date     by its name",
      '"Not stated"  release_type     for every item, no column',
      "Ignored: Notes",
      "Status   Items  Counts as  Why",
      "Planned  2      planned    from its wording",
      "Shipped  1      shipped    from its wording",
      "First items as they would be stored:",
      "Name          Product  Type        Status   Date",
      "Dark mode     Widgets  Not stated  Planned  2026-09-30",
      "Light mode    Widgets  Not stated  Planned  2026-12-31",
      "No mode [31m  Widgets  Not stated  Shipped",
      "3 would be added, 0 changed, 0 removed, 0 restored, 0 unchanged.",
      "The mapping that was used (--write-fields FILE writes it):",
      "{",
      '"release_item_id": "Key",',
      '"feature_name": "Title",',
      '"release_date": "Due",',
      '"release_status": "Status",',
      '"product_name": "Product"',
      "}",
    ]);
    const run = (...words: string[]) => runHere(["import", file, ...words], settings);
    assertMatch(
      (await run("--as-of", "2026-07-01")).out,
      /: 3 added, 0 changed/,
    );
    const before = await readStored(database);

    await write(
      "roadmap.csv",
      TABLE.replace("Q3 2026", "Q4 2026").replace(
        /A-3.*\n/,
        "A-4;New;W;Planned;;\n",
      ),
    );
    const second = tidy(await run("--dry-run"));
    const changes = second.indexOf("The first changes:");
    assertEquals(second.slice(changes, changes + 4), [
      "The first changes:",
      "changed  Dark mode     release_date: 2026-09-30 -> 2026-12-31",
      "removed  No mode [31m",
      "1 would be added, 1 changed, 1 removed, 0 restored, 1 unchanged.",
    ]);
    const json = JSON.parse((await run("--dry-run", "--json")).out);
    assertEquals(json.counts, {
      added: 1,
      changed: 1,
      removed: 1,
      restored: 0,
      unchanged: 1,
    });
    assertEquals(json.columns[0], {
      column: "Key",
      field: "release_item_id",
      by: "name",
      samples: ["A-1", "A-2", "A-4"],
    });
    assertEquals(json.columns.at(-1), {
      column: "Notes",
      field: null,
      by: null,
      samples: ["x"],
    });
    assertEquals([json.kind, json.item_count, json.problems], ["csv", 3, []]);
    assertEquals(json.items[0], {
      release_item_id: json.changes[0].release_item_id,
      feature_name: "Dark mode",
      release_date: "2026-12-31",
      release_type: "Not stated",
      release_status: "Planned",
      product_id: null,
      product_name: "Widgets",
      product_names: ["Widgets"],
      tags: {},
      feature_description: null,
      blog_title: null,
      blog_url: null,
      created: null,
      last_modified: null,
      tone: "planned",
    });
    assertEquals(json.changes.map(({ kind }: { kind: string }) => kind), [
      "changed",
      "removed",
    ]);
    assertEquals(await readStored(database), before);
    assertMatch(
      (await runHere(["imports"], settings)).out,
      /^\d+ .*3 added[^\n]*$/,
    );
  });
});

Deno.test("A dry run lists every problem, and exits with 1", async () => {
  await withFolder(async ({ settings, write }) => {
    const file = await write(
      "roadmap.csv",
      "Title;Product;Due\na;b;soon\n;b;Q3 2026\n",
    );
    const { code, out, err } = await runHere(
      ["import", file, "--dry-run"],
      settings,
    );
    assertEquals([code, err], [1, "3 problems: it would not be imported"]);
    const lines = tidy({ code, out, err });
    const counted = lines.indexOf("Nothing would be stored.");
    assertEquals(lines.slice(counted, counted + 5), [
      "Nothing would be stored.",
      "3 problems:",
      'no column found for release_status (columns are "Title", "Product", "Due"): name one in a mapping (--fields), {"release_status": "COLUMN"}, or the same for every item, {"release_status": {"value": "Planned"}}',
      'row 2: "Due" is "soon", which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; if it means none, say so in the mapping, {"none": ["soon"]}',
      'row 3: "Title" is empty',
    ]);
    const told = await runHere(
      ["import", file, "--dry-run", "--json"],
      settings,
    );
    const json = JSON.parse(told.out);
    assertEquals([told.code, json.counts, json.total_problems], [1, null, 3]);
    assertEquals(json.problems[1], {
      row: 2,
      item: 1,
      field: "release_date",
      column: "Due",
      reason:
        '"Due" is "soon", which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; if it means none, say so in the mapping, {"none": ["soon"]}',
      date: { text: "soon" },
    });
    const real = await runHere(["import", file], settings);
    assertEquals([real.code, real.out], [1, ""]);
    assertEquals(real.err.split("\n").length, 4);
    assertEquals(
      real.err.split("\n")[0],
      `Cannot read ${file}, it has 3 problems:`,
    );
    const listed = await runHere(["imports"], settings);
    assertMatch(
      listed.out,
      /failed: Cannot read .*, it has 3 problems: no column found for [^\n]*$/,
    );

    const broken = await write("broken.json", "[");
    const cut = await runHere(
      ["import", broken, "--dry-run", "--json"],
      settings,
    );
    assertEquals([cut.code, JSON.parse(cut.out).problems[0].reason], [
      1,
      "it is incomplete JSON: the end is missing",
    ]);
  });
});

Deno.test("A mapping is read from a file, and its mistakes are reported", async () => {
  await withFolder(async ({ settings, write }) => {
    const file = await write(
      "roadmap.csv",
      "Ticket,Title,State\n1,Dark mode,open\n",
    );
    const mapping = await write("mapping.json", {
      release_item_id: "Ticket",
      product_name: { value: "Widgets" },
      release_status: { from: "State", values: { open: "Planned" } },
    });
    const run = (fields: string, ...words: string[]) =>
      runHere(["import", file, "--fields", fields, ...words], settings);
    const shown = tidy(
      await run(mapping, "--dry-run", "--source-name", "ours"),
    );
    assertEquals(shown.slice(2, 7), [
      "Ticket        release_item_id  by the mapping",
      "Title         feature_name     by its name",
      "State         release_status   by the mapping",
      '"Not stated"  release_type     for every item, no column',
      '"Widgets"     product_name     for every item, by the mapping',
    ]);
    assertMatch((await run(mapping)).out, /: 1 added/);
    const kept = await write("where.json", {
      product_name: { value: "Widgets" },
      release_item_id: "Ticket",
      where: { State: { not: "Won't do" } },
    });
    const more = "Ticket,Title,State\n1,Dark mode,open\n2,Dropped,Won't do\n";
    await write("roadmap.csv", more);
    const { out } = await run(kept, "--dry-run", "--source-name", "ours");
    assertMatch(out, /: 2 items\. [^]*\b1 left out \(1 by the mapping\)\.\n/);
    const json = await run(
      kept,
      "--dry-run",
      "--json",
      "--source-name",
      "ours",
    );
    assertEquals(JSON.parse(json.out).left_out, 1);
    const copy = await write("copy.json", {});
    assertMatch((await run(kept, "--dry-run", "--write-fields", copy)).out, /"where"/);
    assertEquals(JSON.parse(await Deno.readTextFile(copy)), {
      release_item_id: "Ticket",
      feature_name: "Title",
      release_status: "State",
      product_name: { value: "Widgets" },
      where: { State: { not: "Won't do" } },
    });
    assertMatch((await run(copy, "--dry-run", "--source-name", "ours")).out, /1 left out/);
    assertMatch(
      (await run(kept, "--write-fields", copy)).err,
      /--write-fields goes with --dry-run/,
    );
    const nowhere = await run(kept, "--dry-run", "--write-fields", "/nowhere/copy.json");
    assertMatch(nowhere.err, /^Cannot write \/nowhere\/copy\.json: there is no such file$/);
    assertMatch(
      (await run(kept, "--allow-mass-removal")).out,
      /, 0 unchanged, 1 left out \(1 by the mapping\) in [\d.]+ s$/,
    );
    const mistakes: [fields: unknown, reason: RegExp][] = [
      ["{", /bad\.json is not JSON: /],
      [[], /must be an object, from fields to columns$/],
      [
        { title: "Name" },
        /"title" is not a field; fields are release_item_id, feature_name, /,
      ],
      [
        { where: { Status: {} } },
        /"where" "Status" must be "text", \["one", "another"\] or /,
      ],
      ...[[], { not: [] }].map((Labels): [unknown, RegExp] => [
        { where: { Labels } },
        /"where" "Labels"(?: "not")? must be "text", \["one", "another"\] or /,
      ]),
      [{ where: ["a"] }, /"where" must be an object, from columns to values$/],
      [
        { feature_description: { from: "Text", format: "bbcode" } },
        /"feature_description" "format" must be one of jira, adf, html, markdown$/,
      ],
      [
        { release_date: { from: "Due", format: "dd.mm" } },
        /"release_date" "format" must be written with YYYY/,
      ],
      [
        { release_status: { values: {} } },
        /"release_status" needs "from", "value" or "labels"$/,
      ],
      [
        { release_status: { from: "a", values: { b: 1 } } },
        /"release_status" "values"\."b" must be text$/,
      ],
      [
        { release_status: { form: "a" } },
        /takes from, value, values, labels, default, format, none, tone, tones, split, where, not "form"/,
      ],
      [
        { release_item_id: { value: "1" } },
        /must be a column, because every item has its own id$/,
      ],
      [
        { feature_name: "", product_name: 5 },
        /"feature_name" must not be empty; "product_name" must be "Column"/,
      ],
      [
        { feature_name: { from: "a", format: "YYYY" } },
        /"format" is for release_date, last_modified, created and feature_description only$/,
      ],
      [{ feature_name: { value: "a", default: "b" } }, /"value" cannot be combined/],
      [
        { feature_name: { from: "a", values: {}, labels: {} } },
        /"values" or "labels", not both$/,
      ],
      [{ product_name: { from: "a", split: "" } }, /"product_name" "split" must not be empty$/],
      [{ product_name: { labels: { a: "b" }, split: "," } }, /"split" needs "from": it divides/],
      [{ release_type: { from: "a", split: "," } }, /"split" is for product_name and tags only$/],
      [{ tags: "Labels" }, /"tags" must be an object such as \{"Team": "Squad"\}$/],
      [{ tags: { "A:B": "Squad" } }, /"tags" "A:B" must not have a colon, which ends the name /],
      [
        { tags: { Team: 5 } },
        /"tags" "Team" must be "Column", \{"from": "Column", "split": ","\} /,
      ],
      [{ tags: { Team: {} } }, /"tags" "Team" needs "from" or "labels"$/],
      [
        { tags: { Team: { from: "a", form: "a" } } },
        /"Team" takes from, split and labels, not "form"$/,
      ],
      [{ tags: { Team: { from: "a", split: "" } } }, /"Team" "split" must not be empty$/],
      [{ tags: { Team: { labels: "area" } } }, /"labels" must end with its only star, such as /],
      [{ tags: { Team: { labels: "a/*", split: "," } } }, /takes "split" or "labels", not both$/],
    ];
    for (const [fields, reason] of mistakes) {
      const { code, err } = await run(await write("bad.json", fields));
      assertEquals([code, err.includes("\n")], [1, false]);
      assertMatch(err, reason);
    }
    assertMatch(
      (await run("/nowhere.json")).err,
      /^Cannot read \/nowhere\.json: there is no such file$/,
    );
  });
});
