import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, type Operator, startOperator } from "../support/subjects/operator.ts";
import { chooseUses, fieldsOf } from "../support/subjects/upload_form.ts";

const TABLE = [
  "Title;Status;Release date;Pilot;End of life",
  "Offline maps;Planned;2030-12-31;2030-09-30;2033-12-31",
  "Shared inbox;Planned;2030-12-31;someday soonish;",
].join("\n");

async function upload(operator: Operator, table: string, source: string) {
  const form = new FormData();
  form.set("file", new File([table], "plans.csv"));
  form.set("source_name", source);
  return (await operator.post("/admin/uploads", form)).headers.get("location")!;
}

testOnDatabases("Columns of an upload become named dates with their names", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN, ROADMAP_VARIANT: "B" });
  const operator = await startOperator(app);
  const address = await upload(operator, TABLE, "plans");
  const mappingOf = async (form: URLSearchParams) =>
    JSON.parse(await operator.read(`/admin/upload/fields?id=${form.get("id")}`));
  let page = await operator.read(address);
  // What is found by its name is said, and written only where something is changed.
  match(page, /&quot;End of life&quot; is read as a named date/);
  let form = fieldsOf(page, {});
  assertEquals([form.get("use.dates.End of life"), form.get("use.none.Pilot")], ["dates", "none"]);
  await operator.submit("/admin/upload#map", form);
  assertEquals(await mappingOf(form), {});

  page = await operator.submit("/admin/upload#map", chooseUses(page, { Pilot: "dates" }));
  match(page, /“someday soonish” is not a date\./);
  form = fieldsOf(page, { "name.dates.Pilot": "End of life" });
  const refused = await operator.post("/admin/upload#map", form);
  match(await refused.text(), /Another column is the date “End of life”/);
  form = fieldsOf(page, { "name.dates.Pilot": "x".repeat(61) });
  match(
    await (await operator.post("/admin/upload#map", form)).text(),
    /role="alert">Must have at most 60 characters/,
  );
  form = fieldsOf(page, { "name.dates.Pilot": " Early  adopters " });
  form.set("choose", JSON.stringify({ column: "Pilot", field: "dates", none: "someday soonish" }));
  page = await operator.submit("/admin/upload#map", form);
  match(page, /2 releases will be added/);
  match(page, /End of life 31 Dec 2033.*Early adopters 30 Sep 2030/s);
  assertEquals(await mappingOf(form), {
    dates: {
      "Early adopters": { from: "Pilot", none: ["someday soonish"] },
      "End of life": "End of life",
    },
  });
  await operator.submit("/admin/upload#import", fieldsOf(page, {}));
  const { data } = await app.json("/api/releases?q=Offline");
  assertEquals(data[0].dates, { "Early adopters": "2030-09-30", "End of life": "2033-12-31" });

  // Once somebody has decided, what is found by its name is written.
  page = await operator.read(
    await upload(operator, TABLE.replace(/someday soonish/, ""), "others"),
  );
  page = await operator.submit("/admin/upload#map", chooseUses(page, { "End of life": "none" }));
  assertEquals((await mappingOf(fieldsOf(page, {}))).dates, { Pilot: "Pilot" });
  doesNotMatch(page, /End of life 31 Dec 2033/);
});
