import english from "../../messages/en.json" with { type: "json" };

/** What `Intl` knows of a language, beside its messages. */
export const KNOWN = ["date.day", "date.short_day", "date.month", "date.months"] as const;

export type Key = keyof typeof english | (typeof KNOWN)[number];
