import { operatorAction } from "../(_components)/operator.tsx";
import { pause } from "../(_components)/source_actions.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Resumes a paused source" };

/** Resumes a source that was paused: it is imported at once. */
const POST = operatorAction((form, visit) => pause(form, visit, false));

export const handler: ActionHandlers = { POST };
