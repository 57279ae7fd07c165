import { noteAction } from "../../lib/admin/note_action.ts";
import { isSameSecret } from "../../lib/http/clients/authorization.ts";
import { readForm } from "../../lib/http/requests/body.ts";
import { type AdminPage, answerAdmin } from "../../lib/ui/admin/admin_page.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import {
  adminRoute,
  findOperator,
  goTo,
  sessionCookie,
  TOKEN_USER,
} from "./(_components)/operator.tsx";
import { getLogger } from "@logtape/logtape";

export const config: ActionConfig = {
  errors: "page",
  summary: { GET: "For operators: the form to sign in", POST: "Begins an operator's session" },
};

/** A page of ours, which a link of another site cannot change to one of theirs. */
const NEXT = /^\/admin(?:\/[\w/-]*)?(?:\?[^\s#\\]*)?$/;

const log = getLogger(["roadcast", "admin"]);

/** The form to sign in. */
const GET = adminRoute(async (request, client, context) => {
  if (await findOperator(request, client, context.services) !== null) {
    return goTo("/admin", context);
  }
  const next = new URLSearchParams(client.target.query).get("next") ?? "";
  const page = buildPage({ path: context.site.path, next, isWrong: false });
  return answerAdmin(request, page, { who: null, context });
});

/** Begins a session for a client that has the token. */
const POST = adminRoute(async (request, { address }, context) => {
  const { services, site } = context;
  const { config, limits, databaseForJobs, clock } = services;
  if (config.ADMIN_USER_HEADER !== null) return goTo("/admin", context);
  const form = await readForm(request);
  const sent = form.get("token")?.trim() ?? "";
  const next = form.get("next") ?? "";
  const token = config.ADMIN_TOKEN!;
  const isRight = await limits.trySecret(
    "wrong-admin-token",
    { address, secret: token },
    () => isSameSecret(sent, token),
  );
  if (!isRight) {
    log.warn("A wrong token was sent to sign in, from {address}", { address });
    const page = buildPage({ path: site.path, next, isWrong: true });
    return answerAdmin(request, page, { who: null, context });
  }
  await noteAction(databaseForJobs, { who: TOKEN_USER, at: clock(), action: "signed in" });
  const headers = { "Set-Cookie": await sessionCookie(services) };
  return goTo(NEXT.test(next) ? next : "/admin", context, headers);
});

export const handler: ActionHandlers = { GET, POST };

function buildPage(
  { path, next, isWrong }: { path: string; next: string; isWrong: boolean },
): AdminPage {
  return {
    title: "Sign in",
    status: isWrong ? 403 : 200,
    children: (
      <form method="post" action={`${path}/admin/sign-in`}>
        {isWrong && <p class="admin-problem" role="alert">This token is wrong.</p>}
        {NEXT.test(next) && <input type="hidden" name="next" value={next} />}
        <div class="field">
          <label for="token">Token</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="current-password"
            aria-describedby="token-help"
            required
          />
        </div>
        <p id="token-help">The value of ADMIN_TOKEN on the server. A session lasts 12 hours.</p>
        <p>
          <button type="submit">Sign in</button>
        </p>
      </form>
    ),
  };
}
