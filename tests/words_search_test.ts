import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Database } from "../lib/database/database.ts";
import { importItems, makeItem, startApp, type TestApp } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";

/** The mode of a search, and the names that it finds, in its order. */
async function find(app: TestApp, q: string, more = ""): Promise<[string | null, string[]]> {
  const path = `/api/releases?match=words&q=${encodeURIComponent(q)}${more}`;
  const response = await app.fetch(path);
  assertEquals(response.status, 200, `${q}: ${response.status}`);
  const { data } = await response.json();
  const names = data.map((item: { feature_name: string }) => item.feature_name);
  return [response.headers.get("x-search-mode"), names];
}

function importNames(database: Database, names: readonly string[]) {
  return importItems(
    database,
    names.map((feature_name, n) =>
      makeItem(n, { feature_name, feature_description: null, product_name: "Atlas" })
    ),
  );
}

/** Names that a search by words finds, and those that it does not, all for one question. */
const QUESTIONS: readonly (readonly [q: string, found: readonly string[], mode?: string])[] = [
  ["restore a deleted database", ["Restoring of deleted databases"]],
  ["DATABASES RESTORED", ["Restoring of deleted databases"]],
  ["ecole elementaire", ["L’école élémentaire"]],
  ["ÉCOLE", ["L’école élémentaire"]],
  ["get events", ["&quot;Get Events&quot; from Activator", "Events that get lost"]],
  ['"get events"', ["&quot;Get Events&quot; from Activator"]],
  ['"Get Events" from Activator', ["&quot;Get Events&quot; from Activator"]],
  ["quot", []],
  ["ai", ["AI skills"]],
  ["sso", ["SSO for guests"]],
  ["gue", ["SSO for guests"]],
  ["gues", ["SSO for guests"]],
  ["node", ["Node.js runtime"]],
  ["node.js", ["Node.js runtime"]],
  ["ci", ["CI/CD templates"]],
  ["cicd", []],
  ["wharehouse", ["Warehouse snapshots"], "similar"],
  ["snapshots of wharehosue", ["Warehouse snapshots"], "similar"],
  ["maintian", ["Maintain the association"], "similar"],
  ["warehouse templates", ["CI/CD templates", "Warehouse snapshots"], "any-word"],
  ['"warehouse templates"', ["CI/CD templates", "Warehouse snapshots"], "any-word"],
  ["разные языки", ["Разные языки"]],
  ["язык", ["Разные языки"]],
  ["qwrtzx", []],
];

testOnDatabases("A question finds its words in any form and order", async (database) => {
  const names = new Set(QUESTIONS.flatMap(([, names]) => names));
  await importNames(database, [...names]);
  await using app = await startApp(database);
  for (const [q, expected, mode = "words"] of QUESTIONS) {
    const [searched, found] = await find(app, q);
    assertEquals([q, searched, found.sort()], [q, mode, [...expected].sort()]);
  }
});
