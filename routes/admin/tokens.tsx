import { addImportToken, ImportTokenError } from "../../lib/admin/import_tokens.ts";
import { type ImportToken, listImportTokens } from "../../lib/admin/import_tokens_sql.ts";
import { formatDay } from "../../lib/text/dates.ts";
import { type AdminPage, AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { FormField, PostForm } from "../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operatorAction, operatorPage, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: tokens that may only import",
    POST: "Adds a token, and shows it",
  },
};

/** The tokens that may only import, and the form to add one. */
const GET = operatorPage((visit) => buildPage(visit, new URLSearchParams(), {}));

/** Adds a token; only this answer has it. */
const POST = operatorAction(async (form, visit) => {
  const { context: { services, site: { path } }, note } = visit;
  const name = form.get("name")?.trim() ?? "";
  const lines = (form.get("sources") ?? "").split("\n").map((line) => line.trim());
  try {
    const token = await addImportToken(services.databaseForJobs, {
      name,
      sources: lines.filter(Boolean),
      now: services.clock(),
    });
    await note("added a token", name);
    return {
      title: "Token added",
      place: "/settings",
      children: (
        <>
          <p>
            Copy the token {name} now. It is not shown again: <code>{token}</code>
          </p>
          <p>
            <a href={`${path}/admin/tokens`}>All tokens</a>
          </p>
        </>
      ),
    };
  } catch (error) {
    if (!(error instanceof ImportTokenError)) throw error;
    const errors = { [error.field]: error.message };
    return { ...await buildPage(visit, form, errors), status: 422 };
  }
});

export const handler: ActionHandlers = { GET, POST };

async function buildPage(
  { context: { services, site: { path } } }: Pick<Visit, "context">,
  given: URLSearchParams,
  errors: Partial<Record<ImportTokenError["field"], string>>,
): Promise<AdminPage> {
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
        {tokens.length > 0 && <Tokens tokens={tokens} path={path} />}
        <h2>Add a token</h2>
        <form method="post" action={`${path}/admin/tokens`}>
          <FormField id="name" label="Name" error={errors.name}>
            <input id="name" name="name" required maxLength={60} value={given.get("name") ?? ""} />
          </FormField>
          <FormField
            id="sources"
            label="Sources that it may import, one per line"
            error={errors.sources}
          >
            <textarea id="sources" name="sources" rows={3} required>
              {given.get("sources") ?? ""}
            </textarea>
          </FormField>
          <button type="submit">Add token</button>
        </form>
      </>
    ),
  };
}

function Tokens({ tokens, path }: { tokens: readonly ImportToken[]; path: string }) {
  return (
    <AdminTable label="Tokens" columns={["Name", "Sources", "Added", "Last used", ""]}>
      {tokens.map(({ name, sources, created_at, last_used_on }) => (
        <tr key={name}>
          <td>{name}</td>
          <td>{sources.join(", ")}</td>
          <td>
            <Moment at={created_at} />
          </td>
          <td>{last_used_on === null ? "Never" : formatDay(last_used_on)}</td>
          <td>
            <PostForm
              action={`${path}/admin/token/remove`}
              fields={{ name }}
              button="Remove"
            />
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}
