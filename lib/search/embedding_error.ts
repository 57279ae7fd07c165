import { ExpectedError } from "../expected_error.ts";

/** The embedding service failed; the message contains no secret. */
export class EmbeddingError extends ExpectedError {
  constructor(
    message: string,
    /** The service rejects these texts, or their number: others may still succeed. */
    readonly refusesInput = false,
  ) {
    super(message);
  }
}
