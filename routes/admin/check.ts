import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operatorAction } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "Runs the checks of the overview again",
};

/** Runs the checks again. */
const POST = operatorAction((_form, { context }) => {
  context.services.checkup.start();
  return Promise.resolve({ page: "/admin", notice: "checking" });
});

export const handler: ActionHandlers = { POST };
