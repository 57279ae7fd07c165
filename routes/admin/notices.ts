/** What the page after a form says, by the name that a cookie carries to it. */
const NOTICES = {
  started: "The import starts within a few seconds.",
  running: "An import of this source is already running; its state is below.",
  due: "An import of this source is already about to start.",
  accepted: "The next import may remove as much as is shown. It starts within a few seconds.",
  imported: "The file is imported, and live on the roadmap.",
  "source-removed": "The items of the source are removed from the roadmap.",
  deleted: "The upload is deleted.",
  unsubscribed: "The subscriber is unsubscribed, and gets no more emails.",
  reactivated: "The subscriber gets emails again, about changes from now on.",
  "subscriber-deleted": "All data of the subscriber is deleted.",
  retried: "The emails are due now, and are sent shortly.",
  "nothing-to-retry":
    "Only waiting or failed emails to recipients who still need them can be retried.",
  "webhook-enabled": "The webhook is enabled again.",
  "webhook-disabled": "The webhook is switched off.",
  "webhook-removed": "The webhook is removed.",
  rejected: "The post is rejected: it announces no release any more.",
  confirmed: "The post is the announcement of this release now.",
  checking: "The checks are running again.",
};

/** The name of what a form did. */
export type Notice = keyof typeof NOTICES;

/** What a page says first; null: nothing. */
export function findNotice(name: string | null): string | null {
  return name !== null && Object.hasOwn(NOTICES, name) ? NOTICES[name as Notice] : null;
}
