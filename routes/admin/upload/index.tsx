import {
  addSource,
  beforeOf,
  buildForm,
  refuseScheduled,
  requireUpload,
  saveChoices,
  saveDraft,
  saveJson,
} from "../(_components)/source_parts.tsx";
import { operated, type Visit } from "../(_components)/operator.tsx";
import {
  errorsOf,
  readSourceForm,
  type SourceDraft,
} from "../../../lib/admin/sources/read_source.ts";
import { checkMapping } from "../../../lib/admin/uploads/choose_mapping.ts";
import { draftEntry, optionsOf, previewUpload } from "../../../lib/admin/uploads/read_upload.ts";
import { locationOf } from "../../../lib/admin/uploads/uploads.ts";
import {
  deleteUpload,
  keepMapping,
  saveOptions,
  type Upload,
} from "../../../lib/admin/uploads/uploads_sql.ts";
import { notifyWebhooks } from "../../../lib/delivery/webhooks/queue_webhooks.ts";
import { FieldError } from "../../../lib/expected_error.ts";
import { holdsSample } from "../../../lib/import/apply_sql.ts";
import { describeBesides } from "../../../lib/import/remarks.ts";
import type { WrittenMapping } from "../../../lib/import/mapping/describe_columns.ts";
import type { Preview } from "../../../lib/import/preview_snapshot.ts";
import { capitalise, countOf, shorten } from "../../../lib/text/phrases.ts";
import { importLocation } from "../../../lib/import/import_snapshot.ts";
import { SnapshotError } from "../../../lib/import/snapshot_error.ts";
import type { AdminPage } from "../../../lib/ui/admin/admin_page.tsx";
import { form, type Refused, textArea } from "../../../lib/ui/admin/form.tsx";
import { FirstItems } from "../../../lib/ui/admin/first_items.tsx";
import {
  ColumnTable,
  KindChoices,
  RowChoices,
  summarize,
} from "../../../lib/ui/admin/mapping_form.tsx";
import { sourcePath } from "../../../lib/ui/admin/parts.tsx";
import { StatusMenus } from "../../../lib/ui/admin/status_menus.tsx";
import { describeCauses, inPageWords } from "../../../lib/ui/admin/page_words.ts";
import { describeInterval, SourceFields } from "../../../lib/ui/admin/source_form.tsx";
import { Table } from "../../../lib/ui/admin/table.tsx";
import { type ActionConfig, type ActionHandlers, today } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: how a file is read, and what an import would do",
    POST: "Changes how a file is read, imports it, adds its source, or deletes it",
  },
};

export const handler: ActionHandlers = operated({
  find: ({ query, context: { services } }) => requireUpload(query.get("id"), services),
  page: (upload, visit, refused) =>
    refused?.form.get("do") === "source"
      ? buildForm(visit.context.site.path, refused, upload)
      : showUpload(upload, visit, refused),
  // A form of a table with a thousand columns.
  limits: { maxBytes: 1024 * 1024, maxFields: 5_000 },
  actions: {
    /** Changes what the columns mean. */
    map: {
      async run(upload, { context: { services } }, sent) {
        await saveChoices(upload, sent, services);
      },
    },
    /** Imports a file, whose mapping stays with its source; or adds the source that was checked. */
    import: {
      says: {
        chosen: "Your last changes were not checked yet. Review them, then import.",
        imported: "The file is imported and live on the roadmap.",
        added: "The source is added. Its first import starts within a few seconds.",
        changed: "The source is changed. Its next import starts within a few seconds.",
      },
      async run(upload, visit, sent) {
        const { services } = visit.context;
        // What was chosen after the page was made is checked first.
        if (sent.has("kind") && await saveChoices(upload, sent, services)) {
          return { said: "chosen" };
        }
        if (upload.options.entry) return await addSource(upload, visit);
        return await importFile(upload, visit);
      },
    },
    delete: {
      says: { upload: "The upload is deleted." },
      async run({ upload_id, options, file_name }, { context: { services }, note }) {
        await deleteUpload(services.databaseForJobs, upload_id);
        if (options.entry) return { to: "/admin/sources" };
        await note("deleted an upload", file_name);
        return { to: "/admin/uploads", said: "upload" };
      },
    },
    /** Changes the address of a source that is being added, how often it is read, or its sign-in. */
    source: {
      async run(upload, visit, sent) {
        const before = beforeOf(upload);
        const gitlabUrl = visit.context.services.config.gitlab.url;
        const draft = readSourceForm(sent, { gitlabUrl, before });
        if (draft.mistakes.length > 0) throw new FieldError(errorsOf(draft));
        const isElsewhere = draft.entry.from !== before.entry.from;
        await saveDraft(upload, isElsewhere ? dropKind(draft) : draft, visit);
      },
    },
    /** Takes a mapping as JSON, or a whole source. */
    json: {
      async run(upload, visit, sent) {
        const written = parseJson(sent.get("fields") ?? "");
        if (upload.options.entry) return await saveJson(upload, Object(written), visit);
        const options = { ...upload.options, fields: checkMapping(written) };
        await saveOptions(visit.context.services.databaseForJobs, upload.upload_id, options);
      },
    },
  },
});

async function importFile(upload: Upload, { request, context: { services }, note }: Visit) {
  const { databaseForJobs: database, config, clock } = services;
  const { sourceName } = upload.options;
  refuseScheduled(sourceName, services);
  try {
    const reading = { config, database, asOf: today(services), signal: request.signal };
    await importLocation(database, locationOf(upload), {
      ...await optionsOf(upload, reading),
      onChange: notifyWebhooks(config, clock),
    });
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    // Its page shows why.
    return {};
  }
  await keepMapping(database, upload.options);
  await deleteUpload(database, upload.upload_id);
  await note("imported an upload", `${upload.file_name} for ${sourceName}`);
  return { to: sourcePath("", sourceName), said: "imported" };
}

/** Of another address the kind is found anew. */
function dropKind(draft: SourceDraft): SourceDraft {
  const { kind: _, ...entry } = draft.entry;
  return { ...draft, entry };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FieldError({ fields: `This mapping is not JSON: ${(error as Error).message}` });
  }
}

/** The page of an upload; `refused` is a mapping as JSON that cannot be used. */
async function showUpload(
  upload: Upload,
  { request, context }: Visit,
  refused?: Refused,
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
            entry={entry}
            isOpen={preview.total_problems > 0 && preview.first_rows.columns.length === 0}
          />
        )}
        <form method="post" class="mapping">
          <input type="hidden" name="do" value="map" />
          {/* What Enter presses in a field: it never chooses one of the dates. */}
          <button type="submit" hidden>Apply</button>
          <KindChoices options={options} preview={preview} />
          <OtherProblems preview={preview} />
          <ColumnTable options={options} preview={preview} refused={refused} />
          <div class="mapping-halves">
            <div>
              <StatusMenus options={options} preview={preview} />
            </div>
            <div>
              <RowChoices options={options} preview={preview} refused={refused} />
              <FirstItems preview={preview} variant={context.site.variant} />
            </div>
          </div>
          <Outcome preview={preview} />
          <Foot upload={upload} preview={preview} />
        </form>
        <MappingForm
          id={upload.upload_id}
          path={path}
          text={refused?.form.get("fields") ??
            JSON.stringify(entry ? draftEntry(options) : fields, null, 2)}
          errors={refused?.errors}
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
          <Table
            label="First changes"
            rows={changes}
            columns={{
              "Change": "kind",
              "Release": "feature_name",
              "Field": ({ field }) => field && inPageWords(field),
              "From": ({ old_value: value }) => shorten(value ?? "", 80),
              "To": ({ new_value: value }) => shorten(value ?? "", 80),
            }}
          />
        </details>
      )}
    </section>
  );
}

/** What an import would do, and the buttons; "Apply" does what a script does after each choice. */
function Foot({ upload, preview }: { upload: Upload; preview: Preview }) {
  const { options: { entry, version } } = upload;
  const releases = countOf(preview.item_count - preview.left_out, "release");
  return (
    <div class="mapping-foot">
      <p>
        <b>{summarize(preview)}</b>
      </p>
      <button type="submit" class="second">Apply</button>
      <button type="submit" class="second" name="do" value="delete">
        Cancel
      </button>
      {preview.counts !== null && (
        <button type="submit" name="do" value="import">
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
function DraftForm({ entry, isOpen }: {
  entry: WrittenMapping;
  /** Nothing was read, so something here is wrong. */
  isOpen: boolean;
}) {
  return (
    <details open={isOpen}>
      <summary>Address, how often, sign-in</summary>
      <form method="post">
        <SourceFields entry={entry} isNew={false} />
        <p>
          <button type="submit" name="do" value="source">Check again</button>
        </p>
      </form>
    </details>
  );
}

/** The whole mapping, or the whole source, as JSON, to download and to edit. */
function MappingForm({ id, path, text, errors, isSource }: {
  id: string;
  path: string;
  text: string;
  errors: Refused["errors"] | undefined;
  isSource: boolean;
}) {
  const what = isSource ? "source" : "mapping";
  const { Fields } = form({ fields: textArea(capitalise(what), { rows: 12, spellcheck: false }) });
  return (
    <details open={errors?.fields !== undefined}>
      <summary>The {what} as JSON</summary>
      <p>
        {isSource ? <>This is an entry of a file that ROADMAP_CONFIG takes.</> : (
          <>
            This is the file that <code>--fields</code> takes.
          </>
        )} <a href={`${path}/admin/upload/fields?id=${id}`} download>Download it</a>
      </p>
      <form method="post">
        <Fields refused={{ form: new URLSearchParams({ fields: text }), errors: errors ?? {} }} />
        <p>
          <button type="submit" name="do" value="json">Use this {what}</button>
        </p>
      </form>
    </details>
  );
}
