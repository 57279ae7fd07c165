import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";

testOnDatabases(
  "A form with more than 1,000 fields is refused, however it is sent",
  async (db) => {
    await using app = await startApp(db);
    const many = Array.from(
      { length: 1_001 },
      (_, index): [string, string] => [`f${index}`, ""],
    );
    for (
      const fields of [
        many,
        many.map(([, value]): [string, string] => ["products", value]),
      ]
    ) {
      const answer = await post(app, new URLSearchParams(fields));
      assertEquals(answer.status, 413);
      assertMatch(
        await answer.text(),
        /The form must have at most 1000 fields/,
      );
    }
    const few = [...many.slice(3), ["email", "ann@example.com"], ["f0", ""]];
    assertEquals((await post(app, new URLSearchParams(few))).status, 202);
  },
);

testOnDatabases(
  "What is refused counts for nothing, and what is too much is not read",
  async (db) => {
    await using app = await startApp(db, { SUBSCRIBE_LIMIT: "2" });
    for (let count = 0; count < 5; count++) {
      assertEquals(
        (await post(app, new URLSearchParams({ email: "x" }))).status,
        400,
      );
    }
    for (const name of ["ann", "bob"]) {
      assertEquals(
        (await post(app, new URLSearchParams({ email: `${name}@x.example` })))
          .status,
        202,
      );
    }
    const unread = new ReadableStream({
      pull() {
        throw new Error("The body was read");
      },
    }, { highWaterMark: 0 });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await app.fetch("/subscribe", {
      method: "POST",
      body: unread,
      headers,
    });
    assertEquals(answer.status, 429);
  },
);

testOnDatabases("A form with more than 100 parts is refused", async (db) => {
  await using app = await startApp(db, { ADMIN_TOKEN });
  const { cookie } = await startOperator(app);
  const upload = async (count: number) => {
    const form = new FormData();
    for (let part = 0; part < count; part++) form.append("x", "");
    form.append("file", new File(["a"], "a.csv"));
    const headers = { cookie: cookie! };
    const answer = await app.fetch("/admin/uploads", {
      method: "POST",
      body: form,
      headers,
    });
    return { status: answer.status, text: await answer.text() };
  };
  assertEquals((await upload(99)).status, 303);
  const { status, text } = await upload(100);
  assertEquals(status, 400);
  assertMatch(text, /The body has more than 100 parts/);
});

function post(app: TestApp, body: URLSearchParams): Promise<Response> {
  return app.fetch("/subscribe", { method: "POST", body });
}
