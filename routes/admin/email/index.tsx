import { buildEmailPage, requireKind } from "../(_components)/email_page.tsx";
import { operatorPage } from "../(_components)/operator.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: an email as subscribers get it",
};

/** An email as subscribers get it: in both themes, as text, and a form to send it as a test. */
const GET = operatorPage((visit) =>
  buildEmailPage(visit.context, requireKind(visit.query.get("kind")))
);

export const handler: ActionHandlers = { GET };
