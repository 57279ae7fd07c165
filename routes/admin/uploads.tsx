import { KEPT_MS, storeUpload } from "../../lib/admin/uploads/uploads.ts";
import { readUploads, type Upload } from "../../lib/admin/uploads/uploads_sql.ts";
import { MB } from "../../lib/config/config.ts";
import { holdsSample } from "../../lib/import/apply_sql.ts";
import { readSourceStates } from "../../lib/import/sources/source_states_sql.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { Moment, Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { refuseScheduled } from "./(_components)/source_parts.tsx";
import { goTo, operated, operatorRoute, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: { GET: "For operators: the form to upload a file", POST: "Stores a file for an hour" },
};

/** The form to upload a file, and the files that wait. */
const { GET } = operated({ page: (_, visit) => showUploads(visit) });

async function showUploads({ query, context }: Visit): Promise<AdminPage> {
  const { services, site: { path } } = context;
  const { database, clock, sources, config } = services;
  const since = new Date(clock().getTime() - KEPT_MS);
  const [waiting, states, isSample] = await Promise.all([
    readUploads(database, { since }),
    readSourceStates(database, []),
    holdsSample(database),
  ]);
  const scheduled = sources.listed.map(({ source }) => source.name);
  const names = states.map(({ name }) => name).filter((name) => !scheduled.includes(name));
  return {
    title: "Upload",
    children: (
      <>
        <form method="post" enctype="multipart/form-data">
          <p>
            A file with all items of a source: CSV, JSON, or a spreadsheet (.xlsx), up to{" "}
            {config.ROADMAP_MAX_MB} MB. You check how it is read before anything is stored.
            {isSample && " Its import replaces the sample roadmap."}
          </p>
          <div class="field">
            <label for="source-name">Name of the source</label>
            <input
              id="source-name"
              name="source_name"
              value={query.get("name") ?? "default"}
              maxLength={100}
              list="source-names"
            />
            <datalist id="source-names">
              {names.map((name) => <option key={name} value={name} />)}
            </datalist>
            <p class="quiet">
              The next file of a source replaces its releases. With one roadmap, leave it as it is.
            </p>
          </div>
          {/* Behind the name: one that is wrong is refused before the file is sent. */}
          <div class="field">
            <label for="file">File</label>
            <input id="file" name="file" type="file" required />
          </div>
          <p>
            <button type="submit">Upload and check</button>
          </p>
        </form>
        {waiting.length > 0 && <WaitingUploads uploads={waiting} path={path} />}
      </>
    ),
  };
}

/** Stores a file until it is checked and imported. */
const POST = operatorRoute(async ({ request, context, note }) => {
  const { databaseForJobs: database, config, clock } = context.services;
  const upload = await storeUpload(request, {
    database,
    maxBytes: config.ROADMAP_MAX_MB * MB,
    now: clock(),
    checkName: (name) => refuseScheduled(name, context.services),
  });
  await note("uploaded a file", `${upload.file_name} for ${upload.options.sourceName}`);
  return goTo(`/admin/upload?id=${upload.upload_id}`, context);
});

export const handler: ActionHandlers = { GET, POST };

function WaitingUploads({ uploads, path }: { uploads: readonly Upload[]; path: string }) {
  return (
    <section>
      <h2>Waiting uploads</h2>
      <p>A file is deleted an hour after its upload, unless it is imported.</p>
      <Table
        label="Waiting uploads"
        rows={uploads}
        columns={{
          "File": ({ upload_id, file_name }) => (
            <a href={`${path}/admin/upload?id=${upload_id}`}>{file_name}</a>
          ),
          "Source": ({ options }) => options.sourceName,
          "Uploaded": ({ created_at }) => <Moment at={created_at} />,
        }}
      />
    </section>
  );
}
