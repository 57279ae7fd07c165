import { readForm } from "../../lib/http/body.ts";
import { refuseCrossSite } from "../../lib/http/cross_site.ts";
import { describeUnknown, SENT } from "../../components/send_subscription.ts";
import { Name } from "../../components/name.tsx";
import { cleanName } from "../../lib/text/clean_name.ts";
import { Problem } from "../../lib/http/problem.ts";
import { readPreferenceForm } from "../../lib/roadmap/filter/preference_form.ts";
import { requestSubscription } from "../../lib/delivery/subscriptions/subscription_request.ts";
import { answerPage } from "../../lib/ui/link_page.tsx";
import type { ActionHandler, Context } from "../route.ts";

/** The form of the subscribe page, sent without a script. */
export const postedSubscribePage: ActionHandler = {
  async answer(request, { address }, context) {
    refuseCrossSite(request, context.services.config);
    const form = await readForm(request);
    const { unknown = {}, ignored = [] } = await requestSubscription(
      readFields(form),
      { ...context, address },
    );
    const watched = await findWatched(form, context);
    const { notes } = readPreferenceForm(form);
    const unlisted = Object.values(unknown).flat();
    return answerPage(request, {
      status: 202,
      title: "Check your inbox",
      children: (
        <>
          <p>{SENT}</p>
          {watched && (
            <p>
              Back to{" "}
              <a href={`${context.site.path}/release/${watched.release_item_id}`}>
                <Name text={cleanName(watched.feature_name)} />
              </a>
            </p>
          )}
          {notes.map((note) => <p key={note}>{note}</p>)}
          {unlisted.length > 0 && <p>{describeUnknown(unlisted)}</p>}
          {ignored.length > 0 && <p>Unknown fields ignored: {ignored.join(", ")}.</p>}
        </>
      ),
    }, context);
  },
};

/** The release from whose page the form was sent, if it was. */
async function findWatched(form: URLSearchParams, { services }: Context) {
  const id = form.get("releases");
  return id === null ? undefined : await services.items.find(id.toLowerCase());
}

/** The fields of the API that a form stands for. */
function readFields(form: URLSearchParams): Record<string, unknown> {
  const fields = Object.fromEntries([...form.keys()].map((name) => [name, form.getAll(name)]));
  const given = { ...fields, email: form.get("email") ?? "", cadence: form.get("cadence") || null };
  if (!form.has("scope")) return given;
  const { scope: _, every: __, ...rest } = given as Record<string, unknown>;
  const { lists, problems } = readPreferenceForm(form);
  if (problems.length === 0) return { ...rest, ...lists };
  throw new Problem(400, problems.join(" "));
}
