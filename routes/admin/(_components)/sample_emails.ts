import type { MailWords } from "../../../lib/delivery/mail/mail_content.ts";
import { SAMPLE_KINDS, type SampleKind, writeSample } from "../../../lib/delivery/sample_mail.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { Context } from "../../route.ts";

/** What each email is called on these pages. */
export const EMAIL_NAMES: Readonly<Record<SampleKind, string>> = {
  digest: "Digest of the latest changes",
  reminder: "Reminder of a watched release",
  verification: "Confirmation of a subscription",
  watch: "Confirmation of watching a release",
  preferences: "Confirm a change of preferences",
  link: "Link to the preferences",
};

/** Why there is nothing to show. */
export function explainNothing(kind: SampleKind): string {
  return kind === "reminder"
    ? "Nothing is planned for the next 90 days."
    : "Nothing on the roadmap has changed yet.";
}

/** Writes an email about what is stored; null where nothing is. */
export function writeEmail(
  kind: SampleKind,
  { services: { database, config, clock }, site }: Context,
): Promise<MailWords | null> {
  return writeSample(kind, { database, config, site, now: clock() });
}

/** The email of an address. @throws {Problem} 404 if there is none of this name */
export function requireKind(name: string | null): SampleKind {
  const kind = SAMPLE_KINDS.find((kind) => kind === name);
  if (kind) return kind;
  throw new Problem(404, "There is no such email");
}
