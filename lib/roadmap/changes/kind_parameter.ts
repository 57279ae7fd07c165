import { texts } from "../../http/requests/parameters.ts";
import { CHANGE_KINDS, type ChangeKind } from "./kinds.ts";

/** The parameter that asks for changes of some kinds; repeated: any of them. */
export function kindParameter() {
  return texts()
    .refine(
      (values = []) => values.every(isChangeKind),
      `must be one of ${CHANGE_KINDS.join(", ")}`,
    )
    .transform((values) => values as ChangeKind[] | undefined)
    .optional()
    .meta({ items: { enum: [...CHANGE_KINDS] } })
    .describe("Kind of change; repeat to match any of several");
}

/** Whether a text names a kind of change. */
export function isChangeKind(text: string): text is ChangeKind {
  return (CHANGE_KINDS as readonly string[]).includes(text);
}
