import { operated } from "../(_components)/operator.tsx";
import { buildForm, findTaken, noteReading } from "../(_components)/source_parts.tsx";
import { errorsOf, readSourceForm } from "../../../lib/admin/sources/read_source.ts";
import { beginDraft } from "../../../lib/admin/uploads/uploads.ts";
import { FieldError } from "../../../lib/expected_error.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: the form to add a source by its address",
    POST: "Begins to add a source",
  },
};

export const handler: ActionHandlers = operated({
  page: (_, { query, context: { site } }, refused) =>
    buildForm(site.path, refused ?? { form: query, errors: {} }),
  actions: {
    /** Begins to add a source: its page shows how it is read, and what an import would do. */
    add: {
      async run(_, visit, sent) {
        const { services } = visit.context;
        const draft = readSourceForm(sent, { gitlabUrl: services.config.gitlab.url });
        const errors = { ...errorsOf(draft), ...findTaken(draft.name, services) };
        if (Object.keys(errors).length > 0) throw new FieldError(errors);
        const { name: sourceName, entry, secrets } = draft;
        const options = { sourceName, fields: {}, entry, secrets };
        const id = await beginDraft(services.databaseForJobs, options, services.clock());
        await noteReading(draft, visit);
        return { to: `/admin/upload?id=${id}` };
      },
    },
  },
});
