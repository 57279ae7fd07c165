import { Problem } from "./problem.ts";

/**
 * Rejects requests that a page of another site made a browser send (Fetch Metadata, section 2.3):
 * they would act for visitors without their knowledge. Only browsers send the header.
 *
 * @throws {Problem} 403
 */
export function refuseCrossSite({ headers }: Request): void {
  if (headers.get("sec-fetch-site") !== "cross-site") return;
  throw new Problem(403, "A page of another site cannot send this for its visitors");
}
