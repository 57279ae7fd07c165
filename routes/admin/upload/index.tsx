import { requireUpload } from "../(_components)/chosen_upload.ts";
import { operatorPage, type Visit } from "../(_components)/operator.tsx";
import { Name } from "../../../components/name.tsx";
import { draftEntry, previewUpload } from "../../../lib/admin/uploads/read_upload.ts";
import type { Upload } from "../../../lib/admin/uploads/uploads_sql.ts";
import { holdsSample } from "../../../lib/import/apply_sql.ts";
import { describeBesides } from "../../../lib/import/remarks.ts";
import type { WrittenMapping } from "../../../lib/import/mapping/describe_columns.ts";
import { NO_TYPE } from "../../../lib/import/mapping/read_field.ts";
import type { Preview } from "../../../lib/import/preview_snapshot.ts";
import type { Variant } from "../../../lib/roadmap/variant.ts";
import { formatPlanned } from "../../../lib/text/dates.ts";
import { countOf, shorten, toLine } from "../../../lib/text/phrases.ts";
import { excerptOf } from "../../../lib/text/plain_text.ts";
import { type AdminPage, AdminTable } from "../../../lib/ui/admin/admin_page.tsx";
import {
  ColumnTable,
  KindChoices,
  RowChoices,
  StatusMenus,
  summarize,
} from "../../../lib/ui/admin/mapping_form.tsx";
import { FormField } from "../../../lib/ui/admin/parts.tsx";
import { describeCauses, inPageWords } from "../../../lib/ui/admin/page_words.ts";
import { describeInterval, SourceFields } from "../../../lib/ui/admin/source_form.tsx";
import { type ActionConfig, type ActionHandlers, today } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: how a file is read, and what an import would do",
};

/** As much of a description as a row of the roadmap has room for, in characters. */
const EXCERPT_LENGTH = 160;

/** How an uploaded file or a source is read, and what an import of it would do. */
const GET = operatorPage(async (visit) =>
  await buildUploadPage(visit, await requireUpload(visit.query.get("id"), visit.context.services))
);

export const handler: ActionHandlers = { GET };

/** The page of an upload; `refused` is a mapping as JSON that cannot be used. */
export async function buildUploadPage(
  { request, context }: Pick<Visit, "request" | "context">,
  upload: Upload,
  refused?: { text: string; error: string },
): Promise<AdminPage> {
  const { services, site: { path } } = context;
  const { databaseForJobs: database } = services;
  const preview = await previewUpload(upload, {
    config: services.config,
    database,
    asOf: today(services),
    signal: request.signal,
  });
  const { file_name, options } = upload;
  const { sourceName, fields, entry } = options;
  const rows = countOf(preview.item_count, "row");
  const replaces = await holdsSample(database) ? " · replaces the sample roadmap" : "";
  const from = entry
    ? ` · ${describeInterval(Number(entry.every_minutes))} from ${preview.source}`
    : ` · for the source ${sourceName}`;
  return {
    title: file_name,
    note: rows + from + replaces,
    place: "/sources",
    children: (
      <>
        {entry && (
          <DraftForm
            upload={upload}
            entry={entry}
            path={path}
            isOpen={preview.total_problems > 0 && preview.first_rows.columns.length === 0}
          />
        )}
        <form method="post" action={`${path}/admin/upload/mapping`} class="mapping">
          <input type="hidden" name="id" value={upload.upload_id} />
          <KindChoices options={options} preview={preview} />
          <OtherProblems preview={preview} />
          <ColumnTable options={options} preview={preview} />
          <div class="mapping-halves">
            <div>
              <StatusMenus options={options} preview={preview} />
            </div>
            <div>
              <RowChoices options={options} preview={preview} />
              <FirstItems preview={preview} variant={context.site.variant} />
            </div>
          </div>
          <Outcome preview={preview} />
          <Foot upload={upload} preview={preview} path={path} />
        </form>
        <MappingForm
          id={upload.upload_id}
          path={path}
          text={refused?.text ??
            JSON.stringify(entry ? draftEntry(options) : fields, null, 2)}
          error={refused?.error}
          isSource={entry !== undefined}
        />
      </>
    ),
  };
}

/** The problems that belong to no column. */
function OtherProblems({ preview }: { preview: Preview }) {
  const { problems, total_problems: total, first_rows: { columns } } = preview;
  const others = problems.filter(({ column }) => column === null || !columns.includes(column));
  if (total === 0) return null;
  return (
    <div class="admin-problem" role="alert">
      <p>
        {countOf(total, "problem")}, so nothing can be imported yet{others.length > 0 ? ":" : "."}
      </p>
      <ul>
        {describeCauses(others).map((cause) => <li key={cause}>{cause}</li>)}
      </ul>
    </div>
  );
}

/** What an import would change, besides its counts. */
function Outcome({ preview }: { preview: Preview }) {
  const { changes, notes } = preview;
  const besides = describeBesides(preview).replace(/^, /, "");
  const said = [...besides === "" ? [] : [besides], ...notes.map(inPageWords)];
  if (said.length === 0 && changes.length === 0) return null;
  return (
    <section>
      <h2>What an import would do</h2>
      <ul>
        {said.map((note) => <li key={note}>{note}.</li>)}
      </ul>
      {changes.length > 0 && (
        <details>
          <summary>The first changes</summary>
          <AdminTable label="First changes" columns={["Change", "Release", "Field", "From", "To"]}>
            {changes.map((change, place) => (
              <tr key={place}>
                <td>{change.kind}</td>
                <td>{change.feature_name}</td>
                <td>{change.field && inPageWords(change.field)}</td>
                <td>{shorten(change.old_value ?? "", 80)}</td>
                <td>{shorten(change.new_value ?? "", 80)}</td>
              </tr>
            ))}
          </AdminTable>
        </details>
      )}
    </section>
  );
}

/** What an import would do, and the buttons; "Apply" does what a script does after each choice. */
function Foot({ upload, preview, path }: { upload: Upload; preview: Preview; path: string }) {
  const { options: { entry, version } } = upload;
  const releases = countOf(preview.item_count - preview.left_out, "release");
  return (
    <div class="mapping-foot">
      <p>
        <b>{summarize(preview)}</b>
      </p>
      <button type="submit" class="second">Apply</button>
      <button type="submit" class="second" formaction={`${path}/admin/upload/delete`}>
        Cancel
      </button>
      {preview.counts !== null && (
        <button type="submit" formaction={`${path}/admin/upload/import`}>
          {entry === undefined
            ? `Import ${releases}`
            : version !== undefined
            ? "Save the source"
            : "Add the source"}
        </button>
      )}
    </div>
  );
}

/** The address of a source that is being added, how often it is read, and its sign-in. */
function DraftForm({ upload, entry, path, isOpen }: {
  upload: Upload;
  entry: WrittenMapping;
  path: string;
  /** Nothing was read, so something here is wrong. */
  isOpen: boolean;
}) {
  return (
    <details open={isOpen}>
      <summary>Address, how often, sign-in</summary>
      <form method="post" action={`${path}/admin/upload/source`}>
        <input type="hidden" name="id" value={upload.upload_id} />
        <SourceFields entry={entry} errors={{}} isNew={false} />
        <p>
          <button type="submit">Check again</button>
        </p>
      </form>
    </details>
  );
}

/** The whole mapping, or the whole source, as JSON, to download and to edit. */
function MappingForm({ id, path, text, error, isSource }: {
  id: string;
  path: string;
  text: string;
  error: string | undefined;
  isSource: boolean;
}) {
  return (
    <details open={error !== undefined}>
      <summary>{isSource ? "The source as JSON" : "The mapping as JSON"}</summary>
      <p>
        {isSource ? <>This is an entry of a file that ROADMAP_CONFIG takes.</> : (
          <>
            This is the file that <code>--fields</code> takes.
          </>
        )} <a href={`${path}/admin/upload/fields?id=${id}`} download>Download it</a>
      </p>
      <form method="post" action={`${path}/admin/upload/fields`}>
        <input type="hidden" name="id" value={id} />
        <FormField id="fields" label={isSource ? "Source" : "Mapping"} error={error}>
          <textarea id="fields" name="fields" rows={12} spellcheck={false}>{text}</textarea>
        </FormField>
        <p>
          <button type="submit">Use this {isSource ? "source" : "mapping"}</button>
        </p>
      </form>
    </details>
  );
}

type Item = Preview["items"][number];

interface FirstItemsProps {
  preview: Preview;
  variant: Variant;
}

/** The first items of a file, as rows of the roadmap; they have no pages to lead to yet. */
function FirstItems({ preview: { items }, ...props }: FirstItemsProps) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>Preview of the first releases</h2>
      <div class="release-list">
        <ul class="rows">
          {items.slice(0, 3).map((item) => (
            <Row
              key={item.release_item_id}
              item={item}
              {...props}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Row({ item, variant }: Omit<FirstItemsProps, "preview"> & { item: Item }) {
  const { feature_description: description, release_date: date, release_status: status } = item;
  const products = item.product_names ?? [item.product_name];
  return (
    <li class="release-row">
      <div class="row-text">
        <h3>
          <Name text={item.feature_name} />
        </h3>
        {description && (
          <p class="excerpt" dir="auto">{excerptOf(description, { length: EXCERPT_LENGTH })}</p>
        )}
      </div>
      <p class="row-status">
        <span class={`badge tone-${item.tone}`}>
          {toLine(status)}
        </span>
      </p>
      <p class="row-product">
        <Name text={products.join(", ")} />{" "}
        <span class="quiet">
          {[...typeOf(item), ...describeTags(item)].map(toLine).join(" · ")}
        </span>
      </p>
      <p class="row-date">{date ? formatPlanned(variant.formatDate(date)) : "No date"}</p>
    </li>
  );
}

/** What stands in for a type says nothing. */
function typeOf({ release_type: type }: Item): string[] {
  return type === NO_TYPE ? [] : [type];
}

function describeTags({ tags }: Item): string[] {
  return Object.entries(tags ?? {}).map(([group, values]) => `${group}: ${values.join(", ")}`);
}
