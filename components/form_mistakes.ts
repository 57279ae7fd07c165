import { PREFERENCE_LISTS } from "../lib/roadmap/filter/preference_lists.ts";

/** What is wrong with a form: a sentence for each field, by its name; that of the whole is `""`. */
export type Mistakes = Readonly<Record<string, string>>;

/** How the reasons of the API begin when a person reads them. */
const SUBJECTS: Readonly<Record<string, string>> = {
  email: "The address",
  cadence: "“How often?”",
  paused_until: "The day",
  releases: "A release to watch",
  scope: "“Which releases?”",
  upcoming: "This choice",
  reminders: "This choice",
  ...Object.fromEntries(
    Object.entries(PREFERENCE_LISTS).map(([name, { title }]) => [name, `“${title}”`]),
  ),
};

/**
 * The errors of fields as sentences beside them; of each field the first.
 *
 * ```ts
 * const { email } = toMistakes([{ name: "email", reason: "must have a name before the @" }]);
 * if (email !== "The address must have a name before the @.") throw new Error(email);
 * ```
 */
export function toMistakes(errors: readonly { name: string; reason: string }[]): Mistakes {
  const sentences = errors.map(({ name, reason }) => {
    const [field] = name.split(".");
    if (field === "email" && reason === "must not be empty") {
      return [field, "Enter your email address."] as const;
    }
    const subject = SUBJECTS[field!];
    return subject
      ? [field!, `${subject} ${reason}.`] as const
      : ["", `${name || "The form"} ${reason}.`] as const;
  });
  return Object.fromEntries(sentences.reverse());
}
