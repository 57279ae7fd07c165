import { Problem } from "./problem.ts";

/**
 * Turns away what a page of another site made a browser send (Fetch Metadata, section 2.3): it
 * would act in the name of a visitor who knows nothing of it. Clients that are no browsers do not
 * send the header.
 *
 * @throws {Problem} 403
 */
export function refuseCrossSite({ headers }: Request): void {
  if (headers.get("sec-fetch-site") !== "cross-site") return;
  throw new Problem(403, "A page of another site cannot send this for its visitors");
}
