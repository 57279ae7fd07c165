import { readAuditEntries } from "../../lib/admin/admin_sql.ts";
import { UUID } from "../../lib/text/values.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { PostForm } from "../../lib/ui/admin/parts.tsx";
import { Moment, Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = { errors: "page", summary: "For operators: who did what" };

const PAGE = 100;

/** Who did what, newest first. */
export const handler: ActionHandlers = operated({ page: (_, visit) => showLog(visit) });

async function showLog({ query, who, context }: Visit): Promise<AdminPage> {
  const { services: { database }, site: { path } } = context;
  const before = /^\d{1,18}$/.exec(query.get("before") ?? "")?.[0] ?? null;
  const entries = await readAuditEntries(database, { before, limit: PAGE + 1 });
  const shown = entries.slice(0, PAGE);
  return {
    title: "Audit log",
    children: (
      <>
        <p>What was done on these pages in the last 90 days.</p>
        <Table
          label="Audit log"
          none="No entries."
          rows={shown}
          columns={{
            "When": ({ at }) => <Moment at={at} />,
            "Who": "who",
            "What": ({ action, subject }) => (
              <>
                {action}
                {subject !== "" && <>: {subjectOf(action, subject, path)}</>}
              </>
            ),
          }}
        />
        {entries.length > PAGE && (
          <p>
            <a href={`${path}/admin/audit?before=${shown.at(-1)!.entry_id}`}>Older entries</a>
          </p>
        )}
        {who === "token" && <SignOutEverywhere path={path} />}
      </>
    ),
  };
}

/** A subscriber is noted by the ID, which leads to the page. */
function subjectOf(action: string, subject: string, path: string) {
  if (!/^(?!deleted).*subscriber/.test(action) || !UUID.test(subject)) return subject;
  return <a href={`${path}/admin/subscriber?id=${subject}`}>{subject}</a>;
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
