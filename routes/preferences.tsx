import { mailDay, openPreferences } from "../lib/delivery/subscriptions/opened_link.ts";
import {
  type OwnSubscription,
  readStoredData,
  readSubscription,
} from "../lib/delivery/subscriptions/preferences_sql.ts";
import { PRIVATE_HEADERS, readLinkToken, readTokenField } from "../lib/http/clients/link_token.ts";
import { answerLink, answerPage, type LinkPage } from "../lib/ui/link_page.tsx";
import {
  type ActionConfig,
  type ActionHandler,
  type ActionHandlers,
  type Client,
  type Context,
} from "./route.ts";
import { saveForm } from "../lib/delivery/subscriptions/posted_preferences.ts";
import { deleteSubscriber } from "../lib/delivery/subscriptions/subscribers_sql.ts";
import { requestNewLink } from "../lib/delivery/subscriptions/subscription_request.ts";
import { readForm } from "../lib/http/requests/body.ts";
import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { type Mistakes, mistakesIn } from "../lib/ui/form_mistakes.tsx";
import {
  buildPreferencesPage,
  isReceiving,
  subscribedAgainPage,
} from "./(_components)/preferences_page.tsx";
import { CADENCES } from "../lib/text/cadence.ts";
import { say } from "../lib/text/messages.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "The preferences of a subscription, by the token of a link in an email",
    POST:
      "Saves preferences, or exports or deletes all data, by the token in a form; responds with a page or JSON",
  },
};

/** The preferences of a subscription, opened by the link of any mail; showing them changes nothing. */
const GET: ActionHandler = {
  async answer(request, { address, target }, context) {
    const token = readLinkToken(target);
    const found = token === null ? null : await openPreferences(token, { address, ...context });
    const query = new URLSearchParams(target.query);
    const wantsAsked = query.has("asked") || query.has("amp;asked");
    const cadence = query.get("cadence") ?? query.get("amp;cadence");
    const wantsCadence = CADENCES.find((one) => one === cadence);
    const page = found && await buildPreferencesPage(found, { context, wantsAsked, wantsCadence });
    return answerLink(request, { token, link: page, page: (_, page) => page }, context);
  },
};

/** The buttons of the page of preferences. */
const POST: ActionHandler = {
  async answer(request, client, context) {
    refuseCrossSite(request, context.services.config);
    const form = await readForm(request);
    const token = readTokenField(form);
    const found = token === null ? null : await openPreferences(token, { ...client, ...context });
    if (found === null) {
      return answerLink(request, { token, link: null, page: gonePage }, context);
    }
    const action = form.get("action") ?? "save";
    switch (action) {
      case "save":
        return answerPage(request, await save(found, form, context), context);
      case "export":
        return await exportData(found, context);
      case "delete":
        return answerPage(request, await deleteAll(found, form, context), context);
      case "subscribe-again":
        return answerPage(request, await subscribeAgain(found, client, context), context);
      default: {
        const mistakes = { "": say("own.no_button") };
        const sent = { form, mistakes, saves: true };
        return answerPage(request, await buildPreferencesPage(found, { context, sent }), context);
      }
    }
  },
};

export const handler: ActionHandlers = { GET, POST };

const gonePage = (): LinkPage => ({
  status: 200,
  title: say("own.deleted"),
  children: <p>{say("own.we_deleted")}</p>,
});

async function save(
  stored: OwnSubscription,
  form: URLSearchParams,
  context: Context,
): Promise<LinkPage> {
  const isOpen = isReceiving(stored);
  const mistakes = isOpen ? await saveOrRefuse(form, stored, context) : {};
  const saved = await readSubscription(
    context.services.database,
    stored.subscription_id,
    mailDay(context.services),
  );
  if (saved === null) return gonePage();
  if (Object.keys(mistakes).length > 0) {
    const sent = { form, mistakes, saves: true };
    return await buildPreferencesPage(saved, { context, sent });
  }
  const unwatched = stored.releases.filter((release) => !saved.releases.includes(release));
  const before = isOpen ? stored : undefined;
  return await buildPreferencesPage(saved, { context, isSaved: isOpen, before, unwatched });
}

async function saveOrRefuse(
  form: URLSearchParams,
  stored: OwnSubscription,
  context: Context,
): Promise<Mistakes> {
  try {
    return await saveForm(form, { stored, ...context });
  } catch (error) {
    return mistakesIn(error);
  }
}

async function exportData(
  { subscription_id: id }: OwnSubscription,
  { services: { database } }: Context,
): Promise<Response> {
  const data = await readStoredData(database, id);
  return new Response(JSON.stringify(data, null, 2), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": 'attachment; filename="subscription.json"',
      ...PRIVATE_HEADERS,
    },
  });
}

async function deleteAll(
  found: OwnSubscription,
  form: URLSearchParams,
  context: Context,
): Promise<LinkPage> {
  if (form.get("sure") !== "yes") {
    const mistakes = { sure: say("own.sure") };
    const sent = { form, mistakes, saves: false };
    return await buildPreferencesPage(found, { context, sent });
  }
  await deleteSubscriber(context.services.database, found.email);
  return gonePage();
}

async function subscribeAgain(
  { email }: OwnSubscription,
  { address }: Client,
  context: Context,
): Promise<LinkPage> {
  const { limits } = context.services;
  await limits.takeSubscribing(address, () => requestNewLink({ email }, context));
  return subscribedAgainPage(email);
}
