import type { Mapping } from "../../admin/uploads/chosen_mapping.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import { describeLeftOut } from "../../import/describe_run.ts";
import { describeProblem } from "../../import/snapshot_error.ts";
import { countOf } from "../../text/count_of.ts";
import { shorten } from "../../text/shorten.ts";
import { AdminTable } from "./admin_page.tsx";

/** What an import would change, and every problem that it has. */
export function Outcome({ preview }: { preview: Preview }) {
  const { counts, changes, problems, total_problems: total, notes } = preview;
  return (
    <section>
      <h2>What an import would do</h2>
      {problems.length > 0 && (
        <div class="admin-problem" role="alert">
          <p>{countOf(total, "problem")}, so nothing can be imported yet:</p>
          <ul>
            {problems.map((problem, place) => <li key={place}>{describeProblem(problem)}</li>)}
          </ul>
          {total > problems.length && <p>… and {total - problems.length} more</p>}
        </div>
      )}
      {counts && (
        <p>
          {counts.added} would be added, {counts.changed} changed, {counts.removed} removed,{" "}
          {counts.restored} restored, {counts.unchanged} unchanged
          {describeLeftOut(preview)}.
        </p>
      )}
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => <li key={note}>{note}.</li>)}
        </ul>
      )}
      {changes.length > 0 && (
        <AdminTable label="First changes" columns={["Change", "Item", "Field", "From", "To"]}>
          {changes.map((change, place) => (
            <tr key={place}>
              <td>{change.kind}</td>
              <td>{change.feature_name}</td>
              <td>{change.field}</td>
              <td>{shorten(change.old_value ?? "", 80)}</td>
              <td>{shorten(change.new_value ?? "", 80)}</td>
            </tr>
          ))}
        </AdminTable>
      )}
    </section>
  );
}

/** The buttons to import an upload, or to delete it. */
export function ImportForms({ id, path, canImport }: {
  id: string;
  path: string;
  canImport: boolean;
}) {
  return (
    <div class="admin-actions">
      {canImport && (
        <form method="post" action={`${path}/admin/upload/import`}>
          <input type="hidden" name="id" value={id} />
          <button type="submit">Import</button>
        </form>
      )}
      <form method="post" action={`${path}/admin/upload/delete`}>
        <input type="hidden" name="id" value={id} />
        <button type="submit" class="second">Delete this upload</button>
      </form>
    </div>
  );
}

/** The whole mapping as JSON, to download and to edit. */
export function MappingForm({ id, path, fields }: { id: string; path: string; fields: Mapping }) {
  return (
    <details>
      <summary>The mapping as JSON</summary>
      <p>
        This is the file that <code>--fields</code> takes.{" "}
        <a href={`${path}/admin/upload/fields?id=${id}`} download>Download it</a>
      </p>
      <form method="post" action={`${path}/admin/upload/fields`}>
        <input type="hidden" name="id" value={id} />
        <label for="fields">Mapping</label>
        <textarea id="fields" name="fields" rows={12} spellcheck={false}>
          {JSON.stringify(fields, null, 2)}
        </textarea>
        <p>
          <button type="submit">Use this mapping</button>
        </p>
      </form>
    </details>
  );
}
