import { Problem } from "../../../lib/http/responses/problem.ts";
import {
  readSubscriberFile,
  type SubscriberFile,
  SubscriberFileError,
} from "../../../lib/delivery/subscriptions/subscriber_file.ts";

/** Reads the text of a file of subscribers. @throws {Problem} 400 that says what is wrong */
export function readSubscriberText(text: string): SubscriberFile {
  try {
    return readSubscriberFile(text);
  } catch (error) {
    if (error instanceof SubscriberFileError) throw new Problem(400, error.message);
    throw error;
  }
}
