import { MB } from "../../lib/config/config.ts";
import { deliver, findUpload, KEPT_MS, locationOf } from "../../lib/admin/uploads/stored_upload.ts";
import { readUploads, type Upload } from "../../lib/admin/uploads/uploads_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { FIELDS } from "../../lib/import/mapping/fields.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { previewLocation } from "../../lib/import/preview_snapshot.ts";
import { readSourceStates } from "../../lib/import/schedule/source_states_sql.ts";
import type { Services } from "../../lib/service/services.ts";
import { UUID } from "../../lib/text/uuid.ts";
import { AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { ColumnForm } from "../../lib/ui/admin/column_form.tsx";
import { Facts } from "../../lib/ui/admin/overview.tsx";
import { FirstItems } from "../../lib/ui/admin/first_items.tsx";
import { StatusTable } from "../../lib/ui/admin/status_table.tsx";
import { ImportForms, MappingForm, Outcome } from "../../lib/ui/admin/upload.tsx";
import { today } from "../route.ts";
import { operatorPage } from "./operator.tsx";

/** The form to upload a file, and the files that wait. */
export const uploadsPage = operatorPage(async ({ query, context }) => {
  const { services, site: { path } } = context;
  const { database, clock, sources, config } = services;
  const since = new Date(clock().getTime() - KEPT_MS);
  const [waiting, states] = await Promise.all([
    readUploads(database, { since }),
    readSourceStates(database, []),
  ]);
  const scheduled = sources.current.map(({ name }) => name);
  const names = states.map(({ name }) => name).filter((name) => !scheduled.includes(name));
  return {
    title: "Upload",
    children: (
      <>
        <form method="post" action={`${path}/admin/uploads`} enctype="multipart/form-data">
          <p>
            A file with all items of a source: CSV, JSON, or a spreadsheet (.xlsx), up to{" "}
            {config.ROADMAP_MAX_MB} MB. You check how it is read before anything is stored.
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
          </div>
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
});

function WaitingUploads({ uploads, path }: { uploads: readonly Upload[]; path: string }) {
  return (
    <section>
      <h2>Files that wait</h2>
      <p>A file is deleted an hour after its upload, unless it is imported.</p>
      <AdminTable label="Files that wait" columns={["File", "Source", "Uploaded"]}>
        {uploads.map(({ upload_id, file_name, created_at, options }) => (
          <tr key={upload_id}>
            <td>
              <a href={`${path}/admin/upload?id=${upload_id}`}>{file_name}</a>
            </td>
            <td>{options.sourceName}</td>
            <td>
              <Moment at={created_at} />
            </td>
          </tr>
        ))}
      </AdminTable>
    </section>
  );
}

/** How an uploaded file is read, and what an import of it would do. */
export const uploadPage = operatorPage(async ({ query, request, context }) => {
  const { services, site: { path } } = context;
  const { databaseForJobs: database } = services;
  const upload = await requireUpload(query.get("id"), services);
  const options = optionsOf(upload, { services, signal: request.signal });
  const preview = await previewLocation(database, locationOf(upload), options);
  const { file_name, bytes, upload_id: id, options: { sourceName, fields } } = upload;
  const hasColumns = preview.columns.some(({ column }) => column !== null);
  return {
    title: `Check ${file_name}`,
    place: "/uploads",
    children: (
      <>
        <Facts
          facts={[
            ["Source", sourceName],
            ["Size", `${Math.ceil(bytes / 1024).toLocaleString("en")} KB`],
            ["Read as", `${preview.kind ?? "unknown"}, ${preview.item_count} items`],
          ]}
        />
        <Outcome preview={preview} />
        <ImportForms id={id} path={path} canImport={preview.counts !== null} />
        <StatusTable statuses={preview.statuses} />
        <FirstItems preview={preview} fields={fields} variant={context.site.variant} />
        <section>
          <h2>Columns</h2>
          {hasColumns || <p>This kind of file has field names of its own.</p>}
          <ColumnForm id={id} path={path} options={upload.options} preview={preview} />
          <MappingForm id={id} path={path} fields={fields} />
        </section>
      </>
    ),
  };
});

/**
 * The upload of an address or a form.
 *
 * @throws {Problem} 404 if it has gone
 */
export async function requireUpload(
  id: string | null,
  { databaseForJobs: database, clock }: Services,
): Promise<Upload> {
  const upload = id !== null && UUID.test(id) ? await findUpload(database, id, clock()) : null;
  if (upload) return upload;
  throw new Problem(404, "This file is not here any more: upload it again");
}

/** The options with which an upload is read. */
export function optionsOf(
  upload: Upload,
  { services, signal }: { services: Services; signal: AbortSignal },
): ImportOptions {
  const { sourceName, fields, sheet, partial, allowMassRemoval } = upload.options;
  return {
    asOf: today(services),
    sourceName,
    fields: FIELDS.parse(fields),
    sheet,
    partial,
    allowMassRemoval,
    maxBytes: services.config.ROADMAP_MAX_MB * MB,
    delivery: deliver(services.databaseForJobs, upload),
    signal,
  };
}
