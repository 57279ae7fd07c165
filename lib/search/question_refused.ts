/** Why a new question is not put to the embedding service just now. */
export const REFUSALS = ["over_limit", "over_budget", "too_many_at_once", "left_alone"] as const;

export type Refusal = (typeof REFUSALS)[number];

/** A new question is not put to the embedding service, so that others may ask it. */
export class QuestionRefused extends Error {
  override name = "QuestionRefused";

  constructor(
    readonly refusal: Refusal,
    message: string,
    /** Whose question is refused; null: everybody's would be. */
    readonly client: string | null,
  ) {
    super(message);
  }
}
