import { requireUpload } from "../(_components)/chosen_upload.ts";
import { operatorAction } from "../(_components)/operator.tsx";
import { beforeOf, buildForm, saveDraft } from "../(_components)/source_draft.tsx";
import {
  errorsOf,
  readSourceForm,
  type SourceDraft,
} from "../../../lib/admin/sources/source_form.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Changes the address or the sign-in of a source that is being added",
};

/** Changes the address of a source that is being added, how often it is read, or its sign-in. */
const POST = operatorAction(async (form, visit) => {
  const { services, site: { path } } = visit.context;
  const upload = await requireUpload(form.get("id"), services);
  const before = beforeOf(upload);
  const draft = readSourceForm(form, { gitlabUrl: services.config.gitlab.url, before });
  if (draft.mistakes.length > 0) {
    const given = { given: form, errors: errorsOf(draft), upload };
    return { ...buildForm(path, given), status: 422 };
  }
  const isElsewhere = draft.entry.from !== before.entry.from;
  await saveDraft(upload, isElsewhere ? dropKind(draft) : draft, visit);
  return `/admin/upload?id=${upload.upload_id}`;
});

export const handler: ActionHandlers = { POST };

/** Of another address the kind is found anew. */
function dropKind(draft: SourceDraft): SourceDraft {
  const { kind: _, ...entry } = draft.entry;
  return { ...draft, entry };
}
