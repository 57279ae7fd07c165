import { ExpectedError } from "../expected_error.ts";

/** The embedding service failed; the message contains no secret. */
export class EmbeddingError extends ExpectedError {
  constructor(
    message: string,
    /**
     * The service rejects these texts, or their number: others may still succeed. `perhaps`: it failed
     * at them each time, as some do that cannot say why.
     */
    readonly refusesInput: "certainly" | "perhaps" | false = false,
  ) {
    super(message);
  }
}
