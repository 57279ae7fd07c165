import { readSourceStates } from "../../lib/import/sources/source_states_sql.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { SourceTable } from "../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: every source with its last and next import",
};

export const handler: ActionHandlers = operated({ page: (_, visit) => showSources(visit) });

async function showSources({ context }: Visit): Promise<AdminPage> {
  const { services: { database, sources, config }, site: { path } } = context;
  await sources.readStored(database);
  const { listed } = sources;
  const states = await readSourceStates(database, listed.map(({ source }) => source.name));
  return {
    title: "Sources",
    children: (
      <>
        <div class="admin-actions">
          <a class="button" href={`${path}/admin/source/add`}>Add a source</a>
          <a class="button second" href={`${path}/admin/uploads`}>Upload a file</a>
          {listed.length > 0 && (
            <a class="button second" href={`${path}/admin/sources/file`} download>Download</a>
          )}
        </div>
        <SourceTable states={states} sources={sources} path={path} />
        {config.ROADMAP_CONFIG !== null && (
          <p class="quiet">
            Sources of <code>{config.ROADMAP_CONFIG}</code>{" "}
            (ROADMAP_CONFIG) are changed there: edit the file, and send the server SIGHUP or restart
            it.
          </p>
        )}
        {listed.length > 0 && (
          <p class="quiet">
            “Download” exports them as a ROADMAP_CONFIG file; secrets become <code>env:NAME</code>.
          </p>
        )}
      </>
    ),
  };
}
