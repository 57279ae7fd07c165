/** What can become of a mail: `logged` where no mail server is configured. */
export const MAIL_STATES = ["waiting", "sent", "logged", "failed", "superseded"] as const;

export type MailState = (typeof MAIL_STATES)[number];

/**
 * What a mail is for, in the order in which they go out (`outbox.priority`). `preferences` leads a
 * verified address to the preferences that were requested for it, `reminder` reminds of watched
 * releases before their planned day.
 */
export const MAIL_KINDS = ["verification", "preferences", "reminder", "digest"] as const;

export type MailKind = (typeof MAIL_KINDS)[number];
