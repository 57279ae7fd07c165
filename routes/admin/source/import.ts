import { operatorAction } from "../(_components)/operator.tsx";
import { pageOf, requireSource, startImport } from "../(_components)/source_actions.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Has a source imported now" };

/** Has a source imported now, unless another operator did. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const name = requireSource(form, services).name;
  const done = await startImport(name, services);
  if (done === "started") await note("started an import", name);
  return pageOf(name, done);
});

export const handler: ActionHandlers = { POST };
