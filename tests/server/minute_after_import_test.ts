import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { Renewals } from "../../lib/http/responses/renewals.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";

/** Each takes a statement of its own. */
const address = (number: number) => `/api/releases?product_name=Product&product_name=${number}`;

testOnDatabases(
  "Where many wait after an import, readers get the answer before it, and soon the new one",
  async (raw) => {
    const importNamed = (name: string) =>
      importItems(raw, [makeItem(1, { feature_name: name })], {
        announce: true,
      });
    await importNamed("Before");
    let held = Promise.resolve();
    let waiting = 0;
    await using app = await startApp({
      ...raw,
      async query(statement, caller) {
        waiting++;
        await held;
        waiting--;
        return await raw.query(statement, caller);
      },
    }, { SITE_NAME: "Roadmap" });
    const ask = async (number: number, from = "192.0.2.1") => {
      const response = await app.fetch(address(number), {}, from);
      const { data: [{ feature_name }] } = await response.json();
      return [response.status, response.headers.get("x-cache"), feature_name];
    };
    const ASKED_OFTEN = 7;
    const all = Array.from({ length: 20 }, (_, place) => place + 1);
    for (const number of all) await ask(number);
    await importNamed("After");
    // One that is alone is answered as ever, which also has the service hear of the import.
    assertEquals(await ask(1), [200, null, "After"]);

    const hold = Promise.withResolvers<void>();
    held = hold.promise;
    // Each from a network of its own: they take the places where answers are built.
    const building = all.slice(12).map((number) => ask(number, `198.51.${number}.1`));
    await waitFor("eight builds", () => waiting >= 8);
    assertEquals(await ask(1), [200, null, "After"]);
    for (const number of [2, ASKED_OFTEN, 3, ASKED_OFTEN, ASKED_OFTEN]) {
      assertEquals(await ask(number), [200, "STALE", "Before"]);
    }
    hold.resolve();
    for (const [, , name] of await Promise.all(building)) {
      assertEquals(name, "After");
    }
    for (const number of all) {
      await waitFor(
        "the new answer",
        async () => (await ask(number))[2] === "After",
      );
      assertEquals(await ask(number), [200, null, "After"]);
    }
  },
);

Deno.test("What is asked for most is built again first, and each once", async () => {
  const renewals = new Renewals();
  const hold = Promise.withResolvers<void>();
  const built: string[] = [];
  const ask = (key: string) => renewals.ask(key, async () => (built.push(key), await hold.promise));
  for (const key of ["a", "b", "c", "seldom", "often", "often", "a", "once"]) {
    ask(key);
  }
  assertEquals(built, ["a", "b", "c"]);
  hold.resolve();
  await waitFor("all", () => built.length === 6);
  assertEquals(built, ["a", "b", "c", "often", "seldom", "once"]);
});
