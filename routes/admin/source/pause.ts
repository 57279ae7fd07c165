import { operatorAction } from "../(_components)/operator.tsx";
import { pause } from "../(_components)/source_actions.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Pauses a source that was added" };

/** Pauses a source that was added here. */
const POST = operatorAction((form, visit) => pause(form, visit, true));

export const handler: ActionHandlers = { POST };
