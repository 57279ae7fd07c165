import { operatorAction, operatorPage } from "../(_components)/operator.tsx";
import { buildForm, findTaken, noteReading } from "../(_components)/source_draft.tsx";
import { errorsOf, readSourceForm } from "../../../lib/admin/sources/source_form.ts";
import { beginDraft } from "../../../lib/admin/uploads/uploads.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: the form to add a source by its address",
    POST: "Begins to add a source",
  },
};

/** The form to add a source. */
const GET = operatorPage(({ query, context: { site } }) =>
  Promise.resolve(buildForm(site.path, { given: query }))
);

/** Begins to add a source: its page shows how it is read, and what an import would do. */
const POST = operatorAction(async (form, visit) => {
  const { services, site: { path } } = visit.context;
  const draft = readSourceForm(form, { gitlabUrl: services.config.gitlab.url });
  const errors = { ...errorsOf(draft), ...findTaken(draft.name, services) };
  if (Object.keys(errors).length > 0) {
    return { ...buildForm(path, { given: form, errors }), status: 422 };
  }
  const { databaseForJobs: database } = services;
  const { name: sourceName, entry, secrets } = draft;
  const options = { sourceName, fields: {}, entry, secrets };
  const id = await beginDraft(database, options, services.clock());
  await noteReading(draft, visit);
  return `/admin/upload?id=${id}`;
});

export const handler: ActionHandlers = { GET, POST };
