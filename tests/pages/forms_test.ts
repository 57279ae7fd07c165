import {
  deepStrictEqual as assertEquals,
  doesNotMatch,
  match,
  ok as assert,
} from "node:assert/strict";
import { ROUTES } from "../../routes/table.ts";
import { makeItem } from "../support/app.ts";
import { attribute, type Form, formsIn, isBox, UNMEANT, wrongly } from "../support/forms.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { slowOnDatabases } from "../support/slow.ts";
import { startDigests } from "../support/subjects/digests.ts";

const ANN = "ann@example.com";
const ID = makeItem(1).release_item_id;
const SITE = "/roadmap";

/** Pages with forms: every one that the table of routes has, and those behind the links of emails. */
async function pagesWithForms(database: Parameters<typeof startDigests>[0]) {
  const services = await startDigests(database, { SUBSCRIBE_LIMIT: "100000" });
  await services.import([makeItem(1), makeItem(2, { product_name: "Other" })]);
  await services.verify(ANN, { products: ["Other"], releases: [ID] });
  const { app } = services;
  const preferences = linkOf(services.newestTo(ANN), "/preferences");
  const paths = ROUTES.filter(({ method, errors, path }) =>
    method === "GET" && errors === "page" && !path.startsWith("/admin")
  ).map(({ path }) => SITE + path.replace(":release_item_id", String(ID)).replace(":day", "x"));
  const links = ["/verify-email?token=gone", "/preferences?token=gone", "/unsubscribe?token=gone"];
  return {
    app,
    pages: [...paths, ...links.map((link) => SITE + link), preferences],
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

slowOnDatabases(
  "A form with a mistake comes back with it and what was entered",
  async (database) => {
    await using services = await pagesWithForms(database);
    const { app, pages } = services;
    const found = new Map<string, Form>();
    for (const page of pages) {
      for (const form of formsIn(await (await app.fetch(page)).text())) {
        const names = form.fields.filter(({ type }) => type !== "hidden").map(({ name }) => name);
        for (const action of [form.action, ...form.formActions]) {
          found.set(`${action} ${names.join()}`, { ...form, action });
        }
      }
    }
    const refused = new Set<string>();
    for (const form of found.values()) {
      for (const { field, sent } of wrongly(form, ANN)) {
        const what = `${field} of ${form.action} with ${JSON.stringify(sent).slice(0, 300)}`;
        // The last form would end the subscription of the others.
        if (sent.some(([name, value]) => name === "sure" && value === "yes")) {
          continue;
        }
        const body = new URLSearchParams(sent);
        const response = await app.fetch(form.action, { method: "POST", body });
        const html = await response.text();
        doesNotMatch(html, UNMEANT, what);
        if (response.status < 400) continue;
        assertEquals(response.status, 400, `${what}: ${html}`);
        refused.add(`${form.action} ${field}`);
        const actions = new Set([form.action.replace("/preview", ""), form.action]);
        const back = formsIn(html).find(({ action, fields }) =>
          actions.has(action) && fields.some(({ name }) => name === field)
        );
        if (!back && !new RegExp(` name="${field}"`).test(html)) {
          // What was unchecked and saved is not offered any more.
          match(
            html,
            /<p class="notice problem" role="alert" tabindex="-1">[A-Z“][^<]{10,}\.<\/p>/,
            what,
          );
          continue;
        }
        assert(back, `${what}: no form in ${html}`);
        const wrong = back.fields.filter(({ name }) => name === field);
        const isMarked = wrong.some(({ html }) => attribute(html, "aria-invalid") !== undefined) ||
          /<fieldset[^>]*role="radiogroup" aria-invalid="true"/.test(html);
        assert(isMarked, what);
        const place = wrong.map(({ html }) => attribute(html, "aria-describedby")).find(Boolean) ??
          /<fieldset[^>]* aria-describedby="([^"]*)"/.exec(html)?.[1];
        const [id] = place!.split(" ");
        match(html, new RegExp(`<p class="mistake" id="${id}">[A-Z“][^<]{10,}\\.</p>`), what);
        // Nothing that was entered is lost.
        for (const { name, value, type } of back.fields.filter(({ type }) => type !== "hidden")) {
          if (isBox({ type }) || type === "search" || name === field) {
            continue;
          }
          assertEquals([what, name, value], [what, name, Object.fromEntries(sent)[name] ?? ""]);
        }
        const boxes = back.fields.filter((one) => isBox(one) && one.name !== field);
        for (const { name, value, isChecked } of boxes) {
          const was = sent.some(([other, sent]) => other === name && sent === value);
          assertEquals([what, name, value, isChecked], [what, name, value, was]);
        }
      }
    }
    assertEquals([...refused].sort(), [
      "/roadmap/new-link email",
      "/roadmap/preferences cadence",
      "/roadmap/preferences due",
      "/roadmap/preferences kinds",
      "/roadmap/preferences paused_until",
      "/roadmap/preferences products",
      "/roadmap/preferences releases",
      "/roadmap/preferences reminders",
      "/roadmap/preferences scope",
      "/roadmap/preferences sure",
      "/roadmap/preferences upcoming",
      "/roadmap/send-preferences-link email",
      "/roadmap/subscribe cadence",
      "/roadmap/subscribe due",
      "/roadmap/subscribe email",
      "/roadmap/subscribe kinds",
      "/roadmap/subscribe products",
      "/roadmap/subscribe/preview cadence",
      "/roadmap/subscribe/preview due",
      "/roadmap/subscribe/preview kinds",
      "/roadmap/subscribe/preview products",
      "/roadmap/subscribe?short email",
    ]);
  },
);
