import { openPreferences } from "../../lib/delivery/subscriptions/opened_preferences.ts";
import { saveForm } from "../../lib/delivery/subscriptions/posted_preferences.ts";
import {
  type OwnSubscription,
  readStoredData,
  readSubscription,
} from "../../lib/delivery/subscriptions/preferences_sql.ts";
import { deleteSubscriber } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { requestNewLink } from "../../lib/delivery/subscriptions/subscription_request.ts";
import { readForm } from "../../lib/http/body.ts";
import { refuseCrossSite } from "../../lib/http/cross_site.ts";
import { PRIVATE_HEADERS, readTokenField } from "../../lib/http/link_token.ts";
import { Problem } from "../../lib/http/problem.ts";
import { answerLink, answerPage, type LinkPage } from "../../lib/ui/link_page.tsx";
import { buildPreferencesPage, subscribedAgainPage } from "./preferences_page.tsx";
import type { ActionHandler, Client, Context } from "../route.ts";

/** The buttons of the page of preferences. */
export const postedPreferencesPage: ActionHandler = {
  async answer(request, client, context) {
    refuseCrossSite(request, context.services.config);
    const form = await readForm(request);
    const token = readTokenField(form);
    const found = token === null ? null : await openPreferences(token, { ...client, ...context });
    if (found === null) {
      const nowhere = { token, link: null, hasNewLink: false, page: () => GONE };
      return answerLink(request, nowhere, context);
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
        const reason = "must be save, export, delete or subscribe-again";
        throw new Problem(400, `action ${reason}`, { errors: [{ name: "action", reason }] });
      }
    }
  },
};

const GONE: LinkPage = {
  status: 200,
  title: "Your data has been deleted",
  children: (
    <p>We deleted your address and everything stored with it. You won't get any more emails.</p>
  ),
};

async function save(
  stored: OwnSubscription,
  form: URLSearchParams,
  context: Context,
): Promise<LinkPage> {
  const isOpen = stored.state === "verified" || stored.state === "unverified";
  const { problems, notes } = isOpen
    ? await saveForm(form, { stored, ...context })
    : { problems: [], notes: [] };
  const saved = await readSubscription(context.services.database, stored.subscription_id);
  if (saved === null) return GONE;
  const isSaved = isOpen && problems.length === 0;
  const unwatched = stored.releases.filter((release) => !saved.releases.includes(release));
  const before = isSaved ? stored : undefined;
  const said = { isSaved, before, unwatched, problems, notes };
  return await buildPreferencesPage(saved, { context, ...said });
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
  { email }: OwnSubscription,
  form: URLSearchParams,
  { services: { database } }: Context,
): Promise<LinkPage> {
  if (form.get("sure") !== "yes") {
    const reason = "must be ticked: deleted data cannot be restored";
    throw new Problem(400, `The box ${reason}`, { errors: [{ name: "sure", reason }] });
  }
  await deleteSubscriber(database, email);
  return GONE;
}

async function subscribeAgain(
  { email }: OwnSubscription,
  { address }: Client,
  context: Context,
): Promise<LinkPage> {
  await requestNewLink({ email }, { ...context, address });
  return subscribedAgainPage(email);
}
