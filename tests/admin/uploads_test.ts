import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, type Operator, startOperator } from "../support/subjects/operator.ts";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";
import { chooseUses, fieldsOf } from "../support/subjects/upload_form.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** A messy export: columns of its own, dates of its own, rows that are not for everyone. */
const MESSY = [
  "Nr;Punkt;Bereich;Lage;Termin;Sichtbar;Regionen",
  "1;Offline maps;Maps, Mobile;planned;03.11.2030;public;EU|US",
  "2;Shared inbox;Mail;shipped;04.05.2026;public;EU",
  "3;Secret plan;Mail;planned;05.05.2030;internal;US",
].join("\n");

/** A form with a file, as a browser sends it. */
function makeForm(content: BlobPart, name: string, source = "plans"): FormData {
  const form = new FormData();
  form.set("file", new File([content], name));
  form.set("source_name", source);
  return form;
}

async function upload(operator: Operator, form: FormData): Promise<string> {
  const response = await operator.post("/admin/uploads", form);
  const text = await response.text();
  assertEquals([response.status, text], [303, ""]);
  return response.headers.get("location")!;
}

const idOf = (address: string) => new URLSearchParams(address.split("?")[1]).get("id")!;

async function namesOf(app: TestApp): Promise<string[]> {
  const { data } = await app.json("/api/releases");
  return data.map(({ feature_name }: { feature_name: string }) => feature_name).sort();
}

async function countRows(database: Database): Promise<number[]> {
  const [row] = await database.query<{ uploads: number; parts: number }>(sql`
    select (select count(*)::int from uploads) as uploads,
      (select count(*)::int from upload_parts) as parts
  `);
  return [row!.uploads, row!.parts];
}

testOnDatabases(
  "A status is listed although its only row has another problem",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    const file = [
      "release_item_id,feature_name,product_name,release_status,release_type,release_date",
      "1,Offline maps,Maps,planned,Feature,2030-11-03",
      "2,Shared inbox,Mail,Simmering,Feature,someday soonish",
      "3,,Mail,Marinating,Feature,2030-11-03",
      "1,Twice,Mail,Resting,Feature,2030-11-03",
      "5,An error,#N/A,Proofing,Feature,2030-11-03",
      "6,Another error,Mail,#N/A,Feature,2030-11-03",
    ];
    const address = await upload(operator, makeForm(file.join("\n"), "plans.csv"));
    const page = await operator.read(address);
    const form = fieldsOf(page, {});
    const tones = [...form.keys()].filter((name) => name.startsWith("tone."));
    const unknown = ["Simmering", "Marinating", "Resting", "Proofing"];
    assertEquals(tones, [...unknown, "planned"].map((status) => `tone.${status}`));

    // What it counts as can be chosen before its row is mended.
    form.set("tone.Resting", "shipped");
    const chosen = fieldsOf(await operator.submit("/admin/upload#map", form), {});
    assertEquals(chosen.get("tone.Resting"), "shipped");
  },
);

testOnDatabases(
  "A table of 1,000 columns that can be previewed can be imported",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    const more = Array.from({ length: 995 }, (_, place) => `Measure no. ${place}`);
    const file = [[
      "release_item_id",
      "feature_name",
      "product_name",
      "release_status",
      "When",
      ...more,
    ], ["1", "Offline maps", "Maps", "planned", "2030-11-03", ...more.map(() => "0")]].map((row) =>
      row.join(",")
    ).join("\n");
    const page = await operator.read(await upload(operator, makeForm(file, "wide.csv")));
    const form = chooseUses(page, { When: "release_date" }, { "value.release_type": "Feature" });
    const mapped = fieldsOf(await operator.submit("/admin/upload#map", form), {});
    match(
      await operator.submit("/admin/upload#import", mapped),
      /The file is imported and live on the roadmap\./,
    );
    assertEquals(await namesOf(app), ["Offline maps"]);
  },
);

testOnDatabases(
  "A mistake in the form of a mapping is shown beside its field",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    const file = "Title,Product,Status,Due,Sep.\nA,Maps,planned,03/04/2030,x\n";
    const page = await operator.read(await upload(operator, makeForm(file, "plans.csv")));
    const form = fieldsOf(page, {
      "format.release_date.Due": "yesterday",
      "value.release_type": "Feature",
    });
    const refused = await operator.post("/admin/upload#map", form);
    assertEquals(refused.status, 422);
    const html = await refused.text();
    match(html, /name="format\.release_date\.Due" value="yesterday"[^>]* aria-invalid/);
    match(html, /id="format\.release_date\.Due-mistake" role="alert">/);
    match(html, /name="value\.release_type" value="Feature"/);
    doesNotMatch(html, /This mapping cannot be used/);
  },
);

testOnDatabases("A messy file is uploaded, mapped and imported", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const address = await upload(operator, makeForm(MESSY, "plans.csv"));
  const id = idOf(address);
  const first = await operator.read(address);
  match(first, /<h1>plans\.csv <span class="admin-beside">3 rows · for the source plans</);
  match(first, /class="admin-problem" role="alert"/);
  match(first, /aria-label="What Nr is".*aria-label="What Punkt is".*aria-label="What Lage is"/s);
  match(first, /<td dir="auto">1<\/td><td dir="auto">Offline maps<\/td>/);
  doesNotMatch(first, /name="do" value="import"/);

  const columns = {
    Nr: "release_item_id",
    Punkt: "feature_name",
    Bereich: "product_name",
    Lage: "release_status",
    Termin: "release_date",
    Regionen: "tags",
  };
  const form = chooseUses(first, columns, {
    "value.release_type": "Feature",
    "where_column": "Sichtbar",
    "where_values": "public",
  });
  assertEquals((await operator.post("/admin/upload#map", form)).status, 303);
  const details = fieldsOf(await operator.read(address), {
    "split.product_name.Bereich": ",",
    "format.release_date.Termin": "DD.MM.YYYY",
  });
  const page = await operator.submit("/admin/upload#map", details);
  match(page, /<b>2 releases will be added<\/b>.*name="do" value="import"/s);
  match(page, /1 left out \(1 by the mapping\)\./);
  match(
    page,
    /<h3><bdi>Offline maps<\/bdi><\/h3>.*tone-planned">planned<.*<bdi>Maps, Mobile<\/bdi> <span class="quiet">Feature.*<p class="row-date">Q4 2030</s,
  );
  assertEquals(await namesOf(app), []);

  const file = await operator.get(`/admin/upload/fields?id=${id}`);
  assertEquals(file.headers.get("content-disposition"), 'attachment; filename="fields.json"');
  // What is found by the name of its column, such as the id, is not written.
  assertEquals(await file.json(), {
    feature_name: "Punkt",
    release_date: { from: "Termin", format: "DD.MM.YYYY" },
    release_type: { value: "Feature" },
    release_status: "Lage",
    product_name: { from: "Bereich", split: "," },
    tags: { Regionen: "Regionen" },
    where: { Sichtbar: ["public"] },
  });

  match(
    await operator.submit("/admin/upload#import", { id }),
    /The file is imported and live on the roadmap\..*2 added/s,
  );
  assertEquals(await namesOf(app), ["Offline maps", "Shared inbox"]);
  assertEquals(await countRows(database), [0, 0]);
  assertEquals((await operator.get(address)).status, 404);
  match(await operator.read("/admin/audit"), /imported an upload: plans\.csv for plans/);

  // The mapping is offered for the next file of the source, and for no other.
  const next = MESSY.replace("Offline maps", "Offline maps for all");
  const again = await operator.read(await upload(operator, makeForm(next, "plans2.csv")));
  match(again, /<b>1 release will be changed<\/b>/);
  match(again, /<td>changed<\/td><td>Offline maps for all<\/td><td>title<\/td>/);
  const other = await operator.read(await upload(operator, makeForm(MESSY, "a.csv", "others")));
  match(other, /so nothing can be imported yet/);
});

testOnDatabases(
  "A mapping can be given as JSON, and its mistakes are reported",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    const id = idOf(await upload(operator, makeForm(MESSY, "plans.csv")));
    const send = async (fields: string) => {
      const response = await operator.post("/admin/upload#json", { id, fields });
      return `${response.status} ${await response.text()}`;
    };
    match(await send('{"feature_name": "a\\u0000"}'), /^422 .*has the character NUL/s);
    match(await send("{"), /^422 .*This mapping is not JSON/s);
    match(
      await send('{"nothing": "Nr"}'),
      /^422 .*cannot be used: &quot;nothing&quot; is not a field/s,
    );
    match(
      await send('{"release_date": {"from": "Termin", "format": "x"}}'),
      /^422 .*release_date format must be written with YYYY/s,
    );
    const fields = {
      release_item_id: "Nr",
      feature_name: "Punkt",
      product_name: "Bereich",
      release_status: "Lage",
      release_date: { from: "Termin", format: "DD.MM.YYYY" },
    };
    const page = await operator.submit("/admin/upload#json", {
      id,
      fields: JSON.stringify(fields),
    });
    match(page, /1 left out \(1 not public\).*2 releases will be added/s);
    // One column may be two fields; its menu changes the first.
    const two = JSON.stringify({ ...fields, release_type: "Bereich" });
    match(
      await operator.submit("/admin/upload#json", { id, fields: two }),
      /Bereich, also Product<.*2 releases will be added/s,
    );
  },
);

/** A file, and mappings that stay what they are if the form is posted unchanged. */
const KEPT: readonly (readonly [file: string, text: string, mapping: Record<string, unknown>])[] = [
  [
    "issues.json",
    '[{"id":1,"title":"One","labels":[{"name":"closed"}],"project":{"name":"Web"}}]',
    {
      release_status: { labels: { closed: "Shipped" }, default: "Planned" },
      product_name: { from: "project.name", values: { Web: "Widgets" } },
    },
  ],
  [
    "sheet.csv",
    'Key,Title,Status,Category,Team,Due,Later due\n1,One,Live,Web,"Web, Mobile",6/7/2026,\n',
    {
      feature_name: "title",
      release_status: {
        from: "status",
        values: { Live: "Live in EU" },
        tones: { "Live in EU": "in progress" },
        default: "Idea",
      },
      product_name: { from: "Category", default: "Other" },
      release_type: { from: "Category" },
      release_date: { from: ["Due", "Later due"], format: "DD/MM/YYYY", none: ["Later"] },
      last_modified: null,
      tags: { Team: { from: "team", split: "," }, Area: { from: "Category" } },
      where: { Team: "Web, Mobile" },
    },
  ],
  ["rows.csv", "Key,Title,Status,Product,Public\n1,One,Planned,Widgets,yes\n", {
    where: { Public: { not: ["no"] }, Title: "*" },
    private_hosts: ["wiki.internal"],
  }],
  ["list.csv", "Key,Title,Status,Product\n1,One,Planned,Widgets\n", {
    where: { Status: ["Planned", "Shipped"] },
    product_name: { value: "Gadgets" },
  }],
];

testOnDatabases("The first items count as what they will count as", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const file = "Issue key,Issue id,Summary,Status,Status Category,Resolution\n" +
    "A-1,1,By category,QA3,In Progress,\nA-2,2,Called off,Done,Done,Won't Do\n";
  const page = await operator.read(await upload(operator, makeForm(file, "jira.csv")));
  match(page, /<bdi>By category<\/bdi>.*?tone-in_progress">QA3</s);
  match(page, /<bdi>Called off<\/bdi>.*?tone-stopped">Done</s);
});

testOnDatabases("A form that is posted unchanged changes no mapping", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  for (const [name, text, mapping] of KEPT) {
    const id = idOf(await upload(operator, makeForm(text, name, name)));
    const read = async () => await (await operator.get(`/admin/upload/fields?id=${id}`)).json();
    const page = await operator.submit("/admin/upload#json", {
      id,
      fields: JSON.stringify(mapping),
    });
    match(page, /1 release will be added/, name);
    const before = await read();
    const again = await operator.submit("/admin/upload#map", fieldsOf(page, {}));
    match(again, /1 release will be added/, name);
    // A column alone may be written as its name.
    const plain = (fields: unknown) =>
      JSON.stringify(fields).replaceAll(/\{"from":("[^"]*")\}/g, "$1");
    assertEquals([name, plain(await read())], [name, plain(before)]);
  }
});

testOnDatabases(
  "The page of an upload says what each status counts as, and groups problems of one cause",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    const rows = "ID,Title,Product,Status,Due\n1,One,Maps,Waved 2,\n2,Two,Maps,Done,\n";
    const page = await operator.read(await upload(operator, makeForm(rows, "rows.csv")));
    match(
      page,
      /<b dir="auto">Waved 2<\/b> <span class="quiet">1<\/span>.*?Planned – please check/s,
    );
    match(page, /<b dir="auto">Done<\/b>.*?<option value selected>Shipped<\/option>/s);
    // A menu says otherwise, and only that status.
    const toned = fieldsOf(page, {});
    toned.set("tone.Waved 2", "in progress");
    const said = await operator.submit("/admin/upload#map", toned);
    match(said, /aria-label="What Waved 2 counts as" class="tone-in_progress"/);
    match(said, /aria-label="What Done counts as" class="tone-shipped"/);
    const wrong =
      `${rows}3,Three,Maps,Done,soon\n4,Four,Maps,Done,later\n5,Five,Maps,Done,6/7/2030\n`;
    let refused = await operator.read(await upload(operator, makeForm(wrong, "wrong.csv")));
    match(refused, /3 problems, so nothing can be imported yet\./);
    match(
      refused,
      /6\/7\/2030 is .*?6 Jul 2030.*?7 Jun 2030.*“soon” is not a date\..*?It means no date/s,
    );
    // The buttons beside them solve them, one after the other.
    const press = async (text: string) => {
      const button = new RegExp(`name="choose" value="([^"]*)">${text}<`).exec(refused)!;
      const choose = button[1]!.replaceAll("&quot;", '"');
      refused = await operator.submit("/admin/upload#map", fieldsOf(refused, { choose }));
    };
    await press("It means no date");
    await press("It means no date");
    await press("6 Jul 2030");
    const form = fieldsOf(refused, {});
    match(refused, /5 releases will be added/);
    await operator.submit("/admin/upload#import", { id: form.get("id")! });
    match(
      await operator.read("/admin/source?name=plans"),
      /<h2>Statuses<\/h2>.*<td>Waved 2<\/td><td>1<\/td>.*no known word/s,
    );
  },
);

testOnDatabases(
  "Problems are shown with their rows, and JSON and spreadsheets are read",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    const rows =
      "ID,Title,Product,Status,Release date\n1,One,Maps,Planned,Q3 2030\n2,,Maps,Planned,never\n";
    const wrong = await operator.read(await upload(operator, makeForm(rows, "rows.csv")));
    match(wrong, /2 problems, so nothing can be imported yet.*Row 3: /s);
    const items = JSON.stringify([{ id: "1", title: "One", product: "Maps", status: "Planned" }]);
    match(
      await operator.read(await upload(operator, makeForm(items, "i.json"))),
      /1 release will be added/,
    );
    const sheet = makeSpreadsheet({
      Plans: [["Our plans", null, null, null, null], ["ID", "Title", "Product", "Status", "Type"], [
        "1",
        "One",
        "Maps",
        "Planned",
        null,
      ]],
    }, { more: '<mergeCells><mergeCell ref="A1:E1"/><mergeCell ref="D3:E3"/></mergeCells>' });
    const page = await operator.read(await upload(operator, makeForm(sheet, "p.xlsx")));
    match(page, /Found: Excel \(\.xlsx\)/);
    match(page, />Maps<\/td><td dir="auto">Planned<\/td><td dir="auto">Planned<\/td>/);
    match(page, /1 release will be added/);
  },
);

testOnDatabases("An import that would remove too much must be accepted first", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const head = "ID,Title,Product,Status\n";
  const lines = ["1,One,Maps,Planned", "2,Two,Maps,Planned", "3,Three,Maps,Planned"];
  const all = await upload(operator, makeForm(head + lines.join("\n"), "all.csv"));
  await operator.post("/admin/upload#import", { id: idOf(all) });
  const less = await upload(operator, makeForm(head + lines[0], "less.csv"));
  const refused = await operator.read(less);
  match(refused, /would remove 2 of 3 active items/);
  // Whoever posts it anyway sees the same.
  const anyway = await operator.submit("/admin/upload#import", { id: idOf(less) });
  match(anyway, /would remove 2 of 3 active items/);
  const accepted = fieldsOf(refused, { id: idOf(less), allow: "yes" });
  match(await operator.submit("/admin/upload#map", accepted), /2 releases will be removed/);
  await operator.post("/admin/upload#import", { id: idOf(less) });
  assertEquals(await namesOf(app), ["One"]);
});

testOnDatabases(
  "A file waits for an hour, even for another session, and can be deleted",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    const address = await upload(operator, makeForm(MESSY, "plans.csv"));
    await operator.post("/admin/sign-out", { everywhere: "yes" });
    const ended = await operator.get(address);
    assertEquals(ended.status, 303);
    match(ended.headers.get("location")!, /^\/admin\/sign-in\?next=%2Fadmin%2Fupload%3Fid%3D/);
    const later = await startOperator(app);
    match(await later.read("/admin/uploads"), new RegExp(`href="${address.replace("?", "\\?")}"`));
    await using other = await startApp(database, { ADMIN_TOKEN });
    match(await (await startOperator(other)).read(address), /<h1>plans\.csv/); // another process
    app.advance(3590);
    assertEquals((await later.get(address)).status, 200);
    app.advance(20);
    const gone = await later.get(address);
    assertEquals(gone.status, 404);
    match(await gone.text(), /This page has expired\. Upload the file or add the source again\./);
    assertEquals(await countRows(database), [1, 1]);
    const second = await upload(later, makeForm(MESSY, "second.csv"));
    assertEquals(await countRows(database), [1, 1]); // the first one is deleted
    match(
      await later.submit("/admin/upload#delete", { id: idOf(second) }),
      /The upload is deleted\./,
    );
    assertEquals(await countRows(database), [0, 0]);
  },
);

testOnDatabases(
  "A missing, oversized or truncated file is refused, and leaves nothing",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN, ROADMAP_MAX_MB: "2" });
    const operator = await startOperator(app);
    const MB = 1024 * 1024;
    const statusOf = async (form: FormData | Record<string, string>) =>
      (await operator.post("/admin/uploads", form)).status;
    assertEquals(await statusOf({ source_name: "a" }), 415);
    assertEquals(await statusOf(new FormData()), 400);
    assertEquals(await statusOf(makeForm("", "empty.csv")), 400);
    assertEquals(await statusOf(makeForm("x", "a.csv", "\u0007")), 400);
    assertEquals(await statusOf(makeForm(new Uint8Array(2 * MB + 1), "large.csv")), 413);
    assertEquals(await statusOf(makeForm(new Uint8Array(4 * MB), "larger.csv")), 413);
    const type = "multipart/form-data; boundary=b";
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
    const send = (body: string, contentType = type, more: Record<string, string> = {}) =>
      app.fetch("/admin/uploads", {
        method: "POST",
        body,
        headers: { "cookie": operator.cookie!, "content-type": contentType, ...more },
      });
    assertEquals((await send(`${head}ID,Title`)).status, 400);
    assertEquals((await send("nothing")).status, 400);
    assertEquals((await send(head, "multipart/form-data")).status, 400);
    assertEquals((await send(`--b\r\n${"x".repeat(20_000)}`)).status, 400);
    assertEquals(
      (await send(`${head}ID\r\n--b--`, type, { "content-encoding": "br" })).status,
      415,
    );
    assertEquals(await countRows(database), [0, 0]);
    assertEquals((await send(`${head}ID\r\n--b--`)).status, 303);
    // A file of many zeros, packed to a thousandth.
    const bomb = new Blob([head, new Uint8Array(8 * MB), "\r\n--b--"]).stream().pipeThrough(
      new CompressionStream("gzip"),
    );
    const packed = await app.fetch("/admin/uploads", {
      method: "POST",
      body: await new Response(bomb).arrayBuffer(),
      headers: { "cookie": operator.cookie!, "content-type": type, "content-encoding": "gzip" },
    });
    assertEquals(packed.status, 413);
    assertEquals(await countRows(database), [1, 1]);
  },
);

slowOnDatabases("A file in several chunks is stored unchanged", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const names = Array.from({ length: 1_500 }, (_, place) => `${place} --b-- ${"é".repeat(900)}`);
  const rows = names.map((name, place) => `${place},${name},Maps,Planned`);
  const text = ["ID,Title,Product,Status", ...rows].join("\n");
  const address = await upload(operator, makeForm(text, "many.csv"));
  match(await operator.read(address), /1,500 releases will be added/);
  assertEquals((await countRows(database))[1]! > 1, true);
  await operator.post("/admin/upload#import", { id: idOf(address) });
  const stored = await database.query<{ feature_name: string }>(sql`
    select feature_name from items
  `);
  assertEquals(stored.map(({ feature_name }) => feature_name).sort(), names.toSorted());
});

testOnDatabases("A scheduled source accepts no file", async (database) => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/items.json`, "[]");
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    ROADMAP_SOURCE: `${folder}/items.json`,
  });
  const operator = await startOperator(app);
  const inOrder = makeForm(MESSY, "a.csv", "default");
  const unnamed = new FormData();
  unnamed.set("file", inOrder.get("file")!);
  const nameFirst = new FormData();
  for (const [name, value] of [...inOrder].reverse()) {
    nameFirst.set(name, value);
  }
  for (const form of [inOrder, unnamed, nameFirst]) {
    const refused = await operator.post("/admin/uploads", form);
    assertEquals(refused.status, 409);
    match(
      await refused.text(),
      /&quot;default&quot; is imported on a schedule: choose another name/,
    );
  }
  const own = makeForm(MESSY, "a.csv", "own");
  own.append("file", new File(["a"], "b.csv"));
  match(await (await operator.post("/admin/uploads", own)).text(), /Choose one file/);
  own.delete("file");
  match(await (await operator.post("/admin/uploads", own)).text(), /Choose a file that is not/);
  assertEquals(await countRows(database), [0, 0]);
  await Deno.remove(folder, { recursive: true });
});

testOnDatabases("Hostile names of files and columns are escaped", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const hostile = `"><script>alert(1)</script>`;
  const quoted = `"${hostile.replaceAll('"', '""')}"`;
  const text = `ID,Title,Product,Status,${quoted}\n1,${quoted},Maps,Planned,${quoted}\n`;
  const address = await upload(operator, makeForm(text, `../..\\a/${hostile}.csv`, hostile));
  for (const path of [address, "/admin/uploads", "/admin/audit"]) {
    const page = await operator.read(path);
    assertEquals([path, page.includes("<script>alert")], [path, false]);
    match(page, /&lt;script/);
    assertEquals(page.includes("../"), false);
  }
  const done = await operator.submit("/admin/upload#import", { id: idOf(address) });
  assertEquals(done.includes("<script>alert"), false);
});

testOnDatabases("A wrong name is refused before its file is sent", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const form = await operator.read("/admin/uploads");
  const fields = [...form.matchAll(/<input [^>]*name="(source_name|file)"/g)].map(([, name]) =>
    name
  );
  assertEquals(fields, ["source_name", "file"], "browsers send fields in the order of the form");
  const head = '--b\r\nContent-Disposition: form-data; name="source_name"\r\n\r\n' +
    `${
      "x".repeat(101)
    }\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`;
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (pulled++ > 0) throw new Error("The file was read");
      controller.enqueue(new TextEncoder().encode(head));
    },
  }, { highWaterMark: 0 });
  const headers = { "cookie": operator.cookie!, "content-type": "multipart/form-data; boundary=b" };
  const answer = await app.fetch("/admin/uploads", { method: "POST", body, headers });
  assertEquals(answer.status, 400);
  match(await answer.text(), /The name of the source must have 1 to 100 characters/);
});
