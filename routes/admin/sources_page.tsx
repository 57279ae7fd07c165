import { readSourceStates } from "../../lib/import/schedule/source_states_sql.ts";
import { SourceTable } from "../../lib/ui/admin/parts.tsx";
import { operatorPage } from "./operator.tsx";

/** Every source. */
export const sourcesPage = operatorPage(async ({ context }) => {
  const { services: { database, sources, config }, site: { path } } = context;
  const names = sources.current.map(({ name }) => name);
  const states = await readSourceStates(database, names);
  return {
    title: "Sources",
    children: (
      <>
        <p>
          {config.ROADMAP_CONFIG !== null
            ? (
              <>
                The scheduled sources are those of the file <code>{config.ROADMAP_CONFIG}</code>
                {" "}
                (ROADMAP_CONFIG). To change them, edit it, and send the server SIGHUP or restart it.
              </>
            )
            : config.ROADMAP_SOURCE !== null
            ? "The scheduled source is the one of ROADMAP_SOURCE."
            : "No source is scheduled: neither ROADMAP_SOURCE nor ROADMAP_CONFIG is set."}
        </p>
        <SourceTable states={states} sources={sources.current} path={path} />
      </>
    ),
  };
});
