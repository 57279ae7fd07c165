import { readPreferenceLists } from "../../lib/delivery/subscriptions/offered_lists.ts";
import {
  describeLists,
  listCadences,
} from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { requestSubscription } from "../../lib/delivery/subscriptions/subscription_request.ts";
import type { UnknownValues } from "../../lib/delivery/subscriptions/unknown_values_sql.ts";
import { refuseCrossSite } from "../../lib/http/clients/cross_site.ts";
import { readForm } from "../../lib/http/requests/body.ts";
import { readPreferenceForm } from "../../lib/roadmap/filter/preference_lists.ts";
import { readList } from "../../lib/roadmap/filter/filter_values.ts";
import { UUID } from "../../lib/text/values.ts";
import { joinParts, joinSentences } from "../../lib/text/phrases.ts";
import { EmailForm } from "../../lib/ui/email_form.tsx";
import { type Mistakes, mistakesIn } from "../../lib/ui/form_mistakes.tsx";
import { answerHtml, answerPage } from "../../lib/ui/link_page.tsx";
import { ReleaseLink } from "../../lib/ui/release_parts.tsx";
import { pageContent } from "../../lib/ui/render_page.tsx";
import { SubscribePage, type SubscribePageProps } from "../../lib/ui/subscribe_page.tsx";
import { readCadence, readFollowed, readPreferred } from "../(_components)/preferred_lists.ts";
import type { ActionHandler, Context, ReadConfig, ReadHandler, ReadHandlers } from "../route.ts";
import { rich, say } from "../../lib/text/messages.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: {
    GET: "The form to subscribe by email, and the ways to follow without one",
    POST: "Requests a subscription from a form; responds with a page",
  },
};

/** The form to subscribe by mail, with the preferences that the address names. */
const GET: ReadHandler = {
  read({ query }, context) {
    const asked = {
      chosen: readPreferred(query),
      cadence: readCadence(query),
      followed: readFollowed(query),
      isByFeed: query.get("by") === "feed",
    };
    return {
      normalised: asked,
      build: async () => pageContent(await buildPage(asked, context)),
    };
  },
};

/** The form of the subscribe page, or beside a release or the changelog, sent without a script. */
const POST: ActionHandler = {
  async answer(request, { address }, context) {
    const { config } = context.services;
    refuseCrossSite(request, config, config.EMBED_ORIGINS);
    let sent: URLSearchParams | undefined;
    try {
      const accepted = await context.services.limits.takeSubscribing(address, async () => {
        sent = await readForm(request);
        return await requestSubscription(readFields(sent), context);
      });
      return await answerAccepted(request, { form: sent!, ...accepted }, context);
    } catch (error) {
      if (!sent) throw error;
      const isShort = new URL(request.url).searchParams.has("short");
      const refused = { form: sent, isShort, mistakes: mistakesIn(error) };
      return await answerRefused(request, refused, context);
    }
  },
};

export const handler: ReadHandlers = { GET, POST };

async function answerAccepted(
  request: Request,
  { form, unknown = {}, ignored = [] }: {
    form: URLSearchParams;
    unknown?: UnknownValues;
    ignored?: readonly string[];
  },
  context: Context,
): Promise<Response> {
  const watched = await findWatched(form, context);
  const unlisted = Object.values(unknown).flat();
  const sent = say("subscribe.sent");
  const unmatched = unlisted.length === 0
    ? []
    : [say("subscribe.unmatched", { values: joinParts(unlisted) })];
  // With a script this stands in place of the form (scripts/in_place.ts).
  const answer = joinSentences([
    say("list.sentence", { words: say("link.check_inbox") }),
    sent,
    ...unmatched,
  ]);
  return answerPage(request, {
    status: 202,
    title: say("link.check_inbox"),
    children: (
      <>
        <p>{sent}</p>
        <div id="subscription" hidden>
          <p class="answer notice success" role="status" tabIndex={-1}>{answer}</p>
        </div>
        {watched && (
          <p>
            {rich("subscribe.back", {
              release: <ReleaseLink release={watched} path={context.site.path} />,
            })}
          </p>
        )}
        {unmatched.map((words) => <p key="unmatched">{words}</p>)}
        {ignored.length > 0 && <p>{say("subscribe.ignored", { names: joinParts(ignored) })}</p>}
      </>
    ),
  }, context);
}

/** The form as it was sent, with what is wrong with it: the short one, or that of the page. */
export async function answerRefused(
  request: Request,
  { form, isShort = false, mistakes }: {
    form: URLSearchParams;
    isShort?: boolean;
    mistakes: Mistakes;
  },
  context: Context,
): Promise<Response> {
  const email = form.get("email") ?? "";
  const chosen = readPreferred(form);
  const cadence = readCadence(form);
  if (isShort || form.has("releases")) {
    const watched = await findWatched(form, context);
    return answerPage(request, {
      status: 400,
      title: form.has("releases") ? say("subscribe.watch_a_release") : say("layout.follow"),
      children: (
        <>
          {watched && (
            <p>
              <ReleaseLink release={watched} path={context.site.path} />
            </p>
          )}
          <EmailForm
            lists={{ ...chosen, releases: readList(form, ["releases"]) }}
            cadence={cadence}
            button={watched ? say("release.watch_this_release") : say("subscribe.subscribe")}
            hint={watched
              ? say("subscribe.well_send_you_a")
              : describeLists(chosen, cadence, context.services.config.digestTimes)}
            email={email}
            mistakes={mistakes}
            context={context}
          />
        </>
      ),
    }, context);
  }
  const page = await buildPage({
    chosen,
    cadence,
    followed: readFollowed(form),
    sent: { email, mistakes },
  }, context);
  return answerHtml(request, { status: 400, page });
}

async function buildPage(
  asked: Omit<SubscribePageProps, "lists" | "cadences" | "context">,
  context: Context,
) {
  const { productCounts, config, clock } = context.services;
  const [listed, counts] = await Promise.all([
    readPreferenceLists(context.services, asked.chosen),
    productCounts.read(),
  ]);
  const lists = listed.map((list) => list.name === "products" ? { ...list, counts } : list);
  const cadences = listCadences(config.digestTimes, clock());
  return <SubscribePage {...asked} lists={lists} cadences={cadences} context={context} />;
}

/** The release from whose page the form was sent, if it was. */
async function findWatched(form: URLSearchParams, { services }: Context) {
  const id = form.get("releases");
  return id === null || !UUID.test(id) ? undefined : await services.items.find(id.toLowerCase());
}

/** The fields of the API that a form stands for. */
function readFields(form: URLSearchParams): Record<string, unknown> {
  const names = new Set(form.keys());
  const fields = Object.fromEntries([...names].map((name) => [name, form.getAll(name)]));
  const given = { ...fields, email: form.get("email") ?? "", cadence: form.get("cadence") || null };
  if (!form.has("scope")) return given;
  // A page that was opened before an update says beside its lists which of them count.
  const { scope: _, every: __, ...rest } = given as Record<string, unknown>;
  return { ...rest, ...readPreferenceForm(form).lists };
}
