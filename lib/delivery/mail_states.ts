/** What can become of a mail: `logged` where no mail server is configured. */
export const MAIL_STATES = ["waiting", "sent", "logged", "failed", "superseded"] as const;

export type MailState = (typeof MAIL_STATES)[number];
