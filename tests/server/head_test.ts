import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { ROUTES } from "../../routes/table.ts";
import { makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { addressOf } from "../support/hostile_requests.ts";
import { sendRaw } from "../support/raw_client.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";

/** RFC 9110, sections 8.6 and 9.3.2. */
testOnDatabases(
  "A HEAD of every address has the status of its GET, no body, and its length or none",
  async (database) => {
    await using app = await serve(database, [makeItem(1)], {
      ADMIN_TOKEN,
      ROADMAP_VARIANT: "both",
    });
    const { cookie } = await startOperator(app);
    await using server = app.listen();
    const wrong: string[] = [];
    const gets = ROUTES.filter(({ method }) => method === "GET");
    for (const { path } of [...gets, { path: "/no-such-page" }, { path: "/api/nothing" }]) {
      const ask = async (method: string) => {
        const headers = [
          "Host: localhost",
          `Cookie: ${cookie}`,
          ...path.startsWith("/admin") ? [] : [`Authorization: Bearer ${ADMIN_TOKEN}`],
        ];
        const line = `${method} ${addressOf(path)} HTTP/1.1`;
        const { status, headers: got, body } = await sendRaw(server.port, { line, headers });
        return { status, length: got.get("content-length"), body };
      };
      const get = await ask("GET");
      const head = await ask("HEAD");
      const fits = head.length === null || head.length === get.length;
      if (head.status !== get.status || head.body !== "" || !fits) {
        wrong.push(`${path}: ${get.status} ${get.length}, HEAD ${head.status} ${head.length}`);
      }
    }
    assertEquals(wrong, []);
  },
);
