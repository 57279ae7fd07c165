/** Why a new query is not sent to the embedding service. */
export const REFUSALS = ["over_limit", "over_budget", "too_many_at_once", "left_alone"] as const;

export type Refusal = (typeof REFUSALS)[number];

/** A new query is not sent to the embedding service, to leave capacity for others. */
export class QuestionRefused extends Error {
  override name = "QuestionRefused";

  constructor(readonly refusal: Refusal, message: string) {
    super(message);
  }
}
