import type { ActionHandler, ActionRoute } from "../route.ts";
import { announcementsPage, postedConfirmation, postedRejection } from "./announcements_page.tsx";
import { auditPage } from "./audit_page.tsx";
import { emailBody, emailPage, emailsPage, postedRetry, postedTestMail } from "./emails.tsx";
import { overviewPage, postedCheck } from "./overview_page.tsx";
import { addSourcePage, postedDraft, postedSource, postedSourceChange } from "./add_source.tsx";
import { sourcePage, sourcesPage } from "./sources.tsx";
import {
  postedAcceptance,
  postedImportNow,
  postedPause,
  postedResumption,
  postedSourceRemoval,
  sourceFields,
  sourcesFile,
} from "./source_actions.ts";
import { settingsPage } from "./settings_page.tsx";
import { postedToken, postedTokenRemoval, tokensPage } from "./tokens_page.tsx";
import {
  postedReactivation,
  postedSubscriberDeletion,
  postedSubscriberExport,
  postedSubscribersExport,
  postedUnsubscription,
  subscriberPage,
  subscribersPage,
} from "./subscribers.tsx";
import {
  fieldsFile,
  postedFields,
  postedMapping,
  postedUpload,
  postedUploadDeletion,
  postedUploadImport,
} from "./upload_actions.ts";
import { uploadPage, uploadsPage } from "./upload_page.tsx";
import { postedSignIn, postedSignOut, signInPage } from "./sign_in.tsx";
import {
  postedWebhookChange,
  postedWebhookDisabling,
  postedWebhookEnabling,
  postedWebhookRemoval,
  postedWebhookRotation,
  postedWebhookTest,
  webhookPage,
} from "./webhook_page.tsx";
import { postedWebhook, webhooksPage } from "./webhooks_page.tsx";

// deno-fmt-ignore
const TABLE: readonly [
  method: ActionRoute["method"], path: string, handler: ActionHandler, summary: string,
][] = [
  ["GET",  "/admin",          overviewPage,  "For operators: what is wrong, and what happens next"],
  ["GET",  "/admin/sign-in",  signInPage,    "For operators: the form to sign in"],
  ["POST", "/admin/sign-in",  postedSignIn,  "Begins an operator's session"],
  ["POST", "/admin/sign-out", postedSignOut, "Ends an operator's session, or all of them"],
  ["POST", "/admin/check",    postedCheck,   "Runs the checks of the overview again"],
  ["GET",  "/admin/sources",  sourcesPage,   "For operators: every source with its last and next import"],
  ["GET",  "/admin/sources/file", sourcesFile, "Every source as a file for ROADMAP_CONFIG, without secrets"],
  ["GET",  "/admin/source/add", addSourcePage, "For operators: the form to add a source by its address"],
  ["POST", "/admin/source/add", postedSource, "Begins to add a source"],
  ["POST", "/admin/source/change", postedSourceChange, "Begins to change a source that was added"],
  ["POST", "/admin/source/pause", postedPause, "Pauses a source that was added"],
  ["POST", "/admin/source/resume", postedResumption, "Resumes a paused source"],
  ["GET",  "/admin/source",   sourcePage,    "For operators: one source with its imports"],
  ["GET",  "/admin/source/fields", sourceFields, "The mapping of a source, as JSON"],
  ["POST", "/admin/source/remove", postedSourceRemoval, "Removes the items of a source, and the source if it was added"],
  ["POST", "/admin/source/import", postedImportNow, "Has a source imported now"],
  ["POST", "/admin/source/accept", postedAcceptance, "Accepts once what the last import was refused for"],
  ["GET",  "/admin/uploads",  uploadsPage,   "For operators: the form to upload a file"],
  ["POST", "/admin/uploads",  postedUpload,  "Stores a file for an hour"],
  ["GET",  "/admin/upload",   uploadPage,    "For operators: how a file is read, and what an import would do"],
  ["POST", "/admin/upload/mapping", postedMapping, "Changes what the columns of a file mean"],
  ["POST", "/admin/upload/source", postedDraft, "Changes the address or the sign-in of a source that is being added"],
  ["GET",  "/admin/upload/fields", fieldsFile, "The mapping of a file, as JSON"],
  ["POST", "/admin/upload/fields", postedFields, "Takes a mapping as JSON"],
  ["POST", "/admin/upload/import", postedUploadImport, "Imports an uploaded file"],
  ["POST", "/admin/upload/delete", postedUploadDeletion, "Deletes an uploaded file"],
  ["GET",  "/admin/subscribers", subscribersPage, "For operators: subscribers, found by their address"],
  ["POST", "/admin/subscribers/export", postedSubscribersExport, "All subscriptions as CSV"],
  ["GET",  "/admin/subscriber", subscriberPage, "For operators: a subscriber with the history of the emails"],
  ["POST", "/admin/subscriber/unsubscribe", postedUnsubscription, "Ends a subscription"],
  ["POST", "/admin/subscriber/reactivate", postedReactivation, "Sends emails again to a mailbox that was set aside"],
  ["POST", "/admin/subscriber/export", postedSubscriberExport, "All data of a subscriber, as JSON"],
  ["POST", "/admin/subscriber/delete", postedSubscriberDeletion, "Deletes all data of a subscriber"],
  ["GET",  "/admin/emails",   emailsPage,    "For operators: emails that wait or failed, and why"],
  ["POST", "/admin/emails/retry", postedRetry, "Makes emails due that wait or failed"],
  ["GET",  "/admin/email",    emailPage,     "For operators: an email as subscribers get it"],
  ["GET",  "/admin/email/body", emailBody,   "The HTML of that email, for a frame"],
  ["POST", "/admin/email/send", postedTestMail, "Sends that email as a test"],
  ["GET",  "/admin/webhooks", webhooksPage,  "For operators: webhooks with their deliveries"],
  ["POST", "/admin/webhooks", postedWebhook, "Adds a webhook, and shows its secret"],
  ["GET",  "/admin/webhook",  webhookPage,   "For operators: one webhook with its deliveries"],
  ["POST", "/admin/webhook",  postedWebhookChange, "Changes what a webhook is narrowed to, and its address"],
  ["POST", "/admin/webhook/disable", postedWebhookDisabling, "Switches a webhook off"],
  ["POST", "/admin/webhook/test", postedWebhookTest, "Sends a webhook a test message"],
  ["POST", "/admin/webhook/enable", postedWebhookEnabling, "Enables a webhook again"],
  ["POST", "/admin/webhook/rotate", postedWebhookRotation, "Gives a webhook a new secret, and shows it"],
  ["POST", "/admin/webhook/remove", postedWebhookRemoval, "Removes a webhook"],
  ["GET",  "/admin/announcements", announcementsPage, "For operators: which post announces which release"],
  ["POST", "/admin/announcement/reject", postedRejection, "Rejects a post for good"],
  ["POST", "/admin/announcement/confirm", postedConfirmation, "Sets the post of a release for good"],
  ["GET",  "/admin/tokens",   tokensPage,    "For operators: tokens that may only import"],
  ["POST", "/admin/tokens",   postedToken,   "Adds a token, and shows it"],
  ["POST", "/admin/token/remove", postedTokenRemoval, "Removes a token"],
  ["GET",  "/admin/settings", settingsPage,  "For operators: the settings in effect"],
  ["GET",  "/admin/audit",    auditPage,     "For operators: who did what"],
];

/** The operator's pages, which exist only with ADMIN_TOKEN. */
export const ADMIN_ROUTES: readonly ActionRoute[] = TABLE.map(
  ([method, path, handler, summary]) => (
    { method, path, cache: "never", errors: "page", summary, ...handler }
  ),
);
