import { SIGN_INS, signInNow } from "../../admin/sources/read_source.ts";
import type { WrittenEntry } from "../../import/sources/configured_source.ts";
import { countOf } from "../../text/phrases.ts";
import { choice, form, type Refused, secret, text } from "./form.tsx";

const INTERVALS = [15, 60, 360, 1440];

/** An interval in words: `every hour`. */
export function describeInterval(minutes: number): string {
  const [unit, size] = minutes % 1440 === 0
    ? ["day", 1440] as const
    : minutes % 60 === 0
    ? ["hour", 60] as const
    : ["minute", 1] as const;
  return minutes === size ? `every ${unit}` : `every ${countOf(minutes / size, unit)}`;
}

const LONG = { maxLength: 4000, autocomplete: "off" } as const;

/** The sign-in is kept as it is only where there is one. */
function sourceForm(intervals: Readonly<Record<string, string>>, now: keyof typeof SIGN_INS) {
  const { keep: _, ...others } = SIGN_INS;
  return form({
    name: text("Name", { maxLength: 100, required: true }),
    from: text("Address", {
      ...LONG,
      required: true,
      spellcheck: false,
      below: (
        <p class="quiet">
          A file, a Google sheet, a feed, an API, or a page of Jira, GitHub or GitLab.
        </p>
      ),
    }),
    every_minutes: choice("Read it", intervals),
    sign_in: choice("The server asks for", now === "keep" ? SIGN_INS : others as typeof SIGN_INS),
    token_url: text("Address of the token server", { ...LONG, shownFor: "client" }),
    client_id: text("Client ID", { ...LONG, shownFor: "client" }),
    scope: text("Scope (optional)", { ...LONG, shownFor: "client" }),
    header: text("Name of the header", { ...LONG, shownFor: "header" }),
    user: text("User or email", { ...LONG, shownFor: "login" }),
    secret: secret("Token, password or secret", { shownFor: "token login header client" }),
    announcements: text("Feed of announcements, whose posts its releases link to (optional)", {
      maxLength: 4000,
    }),
  });
}

/** The fields of a source: where it is, how often it is read, and how it is signed in to. */
export function SourceFields({ entry, given, isNew }: {
  entry: WrittenEntry;
  /** What was typed before. */
  given?: Refused;
  isNew: boolean;
}) {
  const now = signInNow(entry);
  const filled = new URLSearchParams({ every_minutes: "60", sign_in: now });
  for (const [name, value] of Object.entries(entry)) {
    if (typeof value !== "object") filled.set(name, String(value));
  }
  for (const [name, value] of given?.form ?? []) filled.set(name, value);
  const every = Number(filled.get("every_minutes"));
  const isInterval = Number.isSafeInteger(every) && every > 0;
  const all = INTERVALS.includes(every) || !isInterval ? INTERVALS : [every, ...INTERVALS];
  const { Fields } = sourceForm(
    Object.fromEntries(all.map((minutes) => [minutes, describeInterval(minutes)])),
    now,
  );
  const refused = { form: filled, errors: given?.errors ?? {} };
  return (
    <>
      <Fields
        refused={refused}
        only={isNew ? ["name", "from", "every_minutes"] : ["from", "every_minutes"]}
      />
      <fieldset class="sign-in">
        <legend>Sign-in</legend>
        <Fields
          refused={refused}
          only={["sign_in", "token_url", "client_id", "scope", "header", "user", "secret"]}
        />
        <p class="quiet">
          What you type here is stored, never shown again, and sent to this server only.
        </p>
      </fieldset>
      <Fields refused={refused} only={["announcements"]} />
    </>
  );
}
