import { type AuditEntry, readAuditEntries } from "../../lib/admin/admin_sql.ts";
import { UUID } from "../../lib/text/values.ts";
import { AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { PostForm } from "../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operatorPage } from "./(_components)/operator.tsx";

export const config: ActionConfig = { errors: "page", summary: "For operators: who did what" };

const PAGE = 100;

/** Who did what, newest first. */
const GET = operatorPage(async ({ query, who, context }) => {
  const { services: { database }, site: { path } } = context;
  const before = /^\d{1,18}$/.exec(query.get("before") ?? "")?.[0] ?? null;
  const entries = await readAuditEntries(database, { before, limit: PAGE + 1 });
  const shown = entries.slice(0, PAGE);
  return {
    title: "Audit log",
    children: (
      <>
        <p>What was done on these pages in the last 90 days.</p>
        <Entries entries={shown} path={path} />
        {entries.length > PAGE && (
          <p>
            <a href={`${path}/admin/audit?before=${shown.at(-1)!.entry_id}`}>Older entries</a>
          </p>
        )}
        {who === "token" && <SignOutEverywhere path={path} />}
      </>
    ),
  };
});

export const handler: ActionHandlers = { GET };

/** A subscriber is noted by the ID, which leads to the page. */
function subjectOf(action: string, subject: string, path: string) {
  if (!/^(?!deleted).*subscriber/.test(action) || !UUID.test(subject)) return subject;
  return <a href={`${path}/admin/subscriber?id=${subject}`}>{subject}</a>;
}

function Entries({ entries, path }: { entries: readonly AuditEntry[]; path: string }) {
  if (entries.length === 0) return <p>No entries.</p>;
  return (
    <AdminTable label="Audit log" columns={["When", "Who", "What"]}>
      {entries.map(({ entry_id, at, who, action, subject }) => (
        <tr key={entry_id}>
          <td>
            <Moment at={at} />
          </td>
          <td>{who}</td>
          <td>
            {action}
            {subject !== "" && <>: {subjectOf(action, subject, path)}</>}
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}

function SignOutEverywhere({ path }: { path: string }) {
  return (
    <>
      <h2>Sessions</h2>
      <p>
        If someone else may be signed in, sign out everywhere. If the token has leaked, change
        ADMIN_TOKEN.
      </p>
      <PostForm
        action={`${path}/admin/sign-out`}
        fields={{ everywhere: "yes" }}
        button="Sign out everywhere"
      />
    </>
  );
}
