import { addImportToken } from "../../lib/admin/import_tokens.ts";
import { listImportTokens, removeImportToken } from "../../lib/admin/import_tokens_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { formatDay } from "../../lib/text/dates.ts";
import { form, lines, text } from "../../lib/ui/admin/form.tsx";
import { PostForm } from "../../lib/ui/admin/parts.tsx";
import { Moment, Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: tokens that may only import",
    POST: "Adds a token and shows it, or removes one",
  },
};

const TOKEN = form({
  name: text("Name", { required: true, maxLength: 60 }),
  sources: lines("Sources that it may import", { rows: 3, required: true }),
});

export const handler: ActionHandlers = operated({
  async page(_, { context: { services } }, refused) {
    const tokens = await listImportTokens(services.database);
    return {
      title: "Tokens",
      place: "/settings",
      children: (
        <>
          <p>
            A token may only import its sources with{" "}
            <code>POST /api/import</code>, for scripts that should not have ADMIN_TOKEN.
          </p>
          {tokens.length > 0 && (
            <Table
              label="Tokens"
              rows={tokens}
              columns={{
                "Name": "name",
                "Sources": ({ sources }) => sources.join(", "),
                "Added": ({ created_at }) => <Moment at={created_at} />,
                "Last used": ({ last_used_on: day }) => day === null ? "Never" : formatDay(day),
                "": ({ name }) => (
                  <PostForm does="remove" fields={{ name }} button="Remove" label={name} />
                ),
              }}
            />
          )}
          <h2>Add a token</h2>
          <form method="post">
            <TOKEN.Fields refused={refused} />
            <button type="submit" name="do" value="add">Add token</button>
          </form>
        </>
      ),
    };
  },
  actions: {
    /** Only this answer has the token. */
    add: {
      async run(_, { context: { services }, note }, sent) {
        const wanted = { ...TOKEN.read(sent), now: services.clock() };
        const token = await addImportToken(services.databaseForJobs, wanted);
        await note("added a token", wanted.name);
        return {
          title: "Token added",
          place: "/settings",
          back: ["/admin/tokens", "All tokens"],
          children: (
            <p>
              Copy the token {wanted.name} now. It is not shown again: <code>{token}</code>
            </p>
          ),
        };
      },
    },
    /** It stops working at once. */
    remove: {
      says: "The token is removed, and no longer works.",
      async run(_, { context: { services }, note }, sent) {
        const name = sent.get("name") ?? "";
        if (!await removeImportToken(services.databaseForJobs, name)) {
          throw new Problem(404, `There is no token ${JSON.stringify(name)}`);
        }
        await note("removed a token", name);
      },
    },
  },
});
