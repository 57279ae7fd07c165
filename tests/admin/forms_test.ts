import { deepStrictEqual as assertEquals, doesNotMatch, ok as assert } from "node:assert/strict";
import { ROUTES } from "../../routes/table.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { attribute, type Form, formsIn, isBox, UNMEANT, wrongly } from "../support/forms.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowOnDatabases } from "../support/slow.ts";
import { ADMIN_TOKEN, type Operator, startOperator } from "../support/subjects/operator.ts";

const TO = "ops@example.com";

slowOnDatabases("A form of operators with a mistake comes back with it", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using source = serveSource(() => new Response("Nr,Name,Lage\n1,Maps,planned"));
  await using app = await startApp(database, { ADMIN_TOKEN, WEBHOOK_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  const hook = { url: "http://127.0.0.1:1/x", kind: "standard", name: "x" };
  assertEquals((await operator.post("/admin/webhooks#add", hook)).status, 200);
  const refusing = new Set<string>();
  for (const form of await findForms(operator, source.url)) {
    for (const { field, sent } of wrongly(form, TO)) {
      const what = `${field} of ${form.action} with ${JSON.stringify(sent).slice(0, 300)}`;
      // No browser sends it.
      if (sent.some(([, value]) => value.includes("\0"))) continue;
      const response = await operator.post(form.action, new URLSearchParams(sent));
      const html = await response.text();
      doesNotMatch(html, UNMEANT, what);
      // Test emails are limited.
      if (response.status < 400 || response.status === 429) continue;
      assert(response.status < 500, `${what}: ${response.status} ${html}`);
      refusing.add(`${form.action.split("?")[0]} ${doesOf(form)}`);
      const back = formsIn(html, form.action).find((one) =>
        doesOf(one) === doesOf(form) && one.fields.some(({ name }) => name === field)
      );
      assert(back, `${what}: no form in ${response.status} ${html}`);
      // Every message stands beside a field, which leads to it, or to the group of boxes.
      const messages = html.matchAll(
        /<p class="mistake" id="([^"]*)" role="alert">[A-Z“][^<]{8,}<\/p>/g,
      );
      const ids = [...messages].map(([, id]) => id);
      assert(ids.length > 0, `${what}: no message in ${html}`);
      const led = new Set(
        back.fields.map(({ html }) =>
          attribute(html, "aria-invalid") && attribute(html, "aria-describedby")
        ),
      );
      for (const id of ids) {
        const isOfGroup = html.includes(`<fieldset class="preferences" aria-describedby="${id}">`);
        assert(led.has(id) || isOfGroup, `${what}: no field leads to ${id}`);
      }
      // Nothing that was typed is lost, but for what is never shown again.
      for (const one of back.fields) {
        const isTyped = one.type !== "hidden" && !isBox(one) && !one.html.startsWith("<select");
        if (!isTyped || one.type === "password" || one.name === field) continue;
        assertEquals([what, one.name, one.value], [
          what,
          one.name,
          Object.fromEntries(sent)[one.name] ?? "",
        ]);
      }
    }
  }
  assertEquals([...refusing].sort(), [
    "/admin/email send",
    "/admin/source/add add",
    "/admin/tokens add",
    "/admin/upload json",
    "/admin/upload source",
    "/admin/webhook save",
    "/admin/webhooks add",
  ]);
});

/** What a form does. */
function doesOf({ fields }: Form): string | undefined {
  return fields.find(({ name }) => name === "do")?.value;
}

/** The forms of all pages of operators, and of those of one source, webhook, email and upload. */
async function findForms(operator: Operator, url: string): Promise<Form[]> {
  const begun = await operator.post("/admin/source/add#add", {
    name: "plans",
    from: `${url}/plans.csv`,
    every_minutes: "60",
  });
  const paths = [
    ...ROUTES.filter(({ method, path }) => method === "GET" && path.startsWith("/admin"))
      .map(({ path }) => path).filter((path) => path !== "/admin/sign-in"),
    "/admin/webhook?name=x",
    "/admin/source?name=default",
    "/admin/email?kind=verification",
    begun.headers.get("location")!,
  ];
  const found = new Map<string, Form>();
  for (const path of paths) {
    for (const form of formsIn(await (await operator.get(path)).text(), path)) {
      const names = form.fields.filter(({ type }) => type !== "hidden").map(({ name }) => name);
      if (form.fields.some(({ type }) => type === "file")) continue;
      found.set(`${form.action} ${doesOf(form)} ${names.join()}`, form);
    }
  }
  return [...found.values()];
}
