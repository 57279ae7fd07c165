import { SIGN_INS, signInNow } from "../../admin/sources/source_form.ts";
import type { WrittenEntry } from "../../import/sources/configured_source.ts";
import { countOf } from "../../text/phrases.ts";
import { FormField } from "./parts.tsx";

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

/** The fields of a source: where it is, how often it is read, and how it is signed in to. */
export function SourceFields({ entry, given, errors, isNew }: {
  entry: WrittenEntry;
  /** What was typed before, if it was wrong. */
  given?: URLSearchParams;
  errors: Readonly<Record<string, string>>;
  isNew: boolean;
}) {
  const valueOf = (name: string) => given?.get(name) ?? String(entry[name] ?? "");
  const every = Number(given?.get("every_minutes") ?? entry.every_minutes ?? 60);
  const isInterval = Number.isSafeInteger(every) && every > 0;
  const intervals = INTERVALS.includes(every) || !isInterval ? INTERVALS : [every, ...INTERVALS];
  return (
    <>
      {isNew && (
        <FormField id="source-name" label="Name" error={errors.name}>
          <input id="source-name" name="name" value={valueOf("name")} maxLength={100} required />
        </FormField>
      )}
      <FormField id="source-from" label="Address" error={errors.from}>
        <input
          id="source-from"
          name="from"
          value={valueOf("from")}
          maxLength={4000}
          required
          spellcheck={false}
          autocomplete="off"
        />
        <p class="quiet">
          A file, a Google sheet, a feed, an API, or a page of Jira, GitHub or GitLab.
        </p>
      </FormField>
      <FormField id="source-every" label="Read it" error={errors.every_minutes}>
        <select id="source-every" name="every_minutes">
          {intervals.map((minutes) => (
            <option key={minutes} value={minutes} selected={minutes === every}>
              {describeInterval(minutes)}
            </option>
          ))}
        </select>
      </FormField>
      <SignIn entry={entry} given={given} errors={errors} />
      <FormField
        id="source-announcements"
        label="Feed of announcements, whose posts its releases link to (optional)"
        error={errors.announcements}
      >
        <input
          id="source-announcements"
          name="announcements"
          value={valueOf("announcements")}
          maxLength={4000}
        />
      </FormField>
    </>
  );
}

/** The fields of each way to sign in; a browser shows those of the chosen one. */
const SIGN_IN_FIELDS = [
  ["token_url", "Address of the token server", "client"],
  ["client_id", "Client ID", "client"],
  ["scope", "Scope (optional)", "client"],
  ["header", "Name of the header", "header"],
  ["user", "User or email", "login"],
  ["secret", "Token, password or secret", "token login header client"],
] as const;

function SignIn({ entry, given, errors }: {
  entry: WrittenEntry;
  given?: URLSearchParams;
  errors: Readonly<Record<string, string>>;
}) {
  const now = signInNow(entry);
  const chosen = given?.get("sign_in") ?? now;
  const choices = Object.entries(SIGN_INS).filter(([name]) => name !== "keep" || now === "keep");
  return (
    <fieldset class="sign-in">
      <legend>Sign-in</legend>
      <FormField id="source-sign-in" label="The server asks for" error={errors.sign_in}>
        <select id="source-sign-in" name="sign_in">
          {choices.map(([name, text]) => (
            <option key={name} value={name} selected={name === chosen}>{text}</option>
          ))}
        </select>
      </FormField>
      {SIGN_IN_FIELDS.map(([name, label, ways]) => (
        <div key={name} data-for={ways}>
          <FormField id={`source-${name}`} label={label} error={errors[name]}>
            {name === "secret"
              ? (
                <input
                  id="source-secret"
                  name="secret"
                  type="password"
                  autocomplete="new-password"
                  maxLength={4000}
                />
              )
              : (
                <input
                  id={`source-${name}`}
                  name={name}
                  autocomplete="off"
                  value={given?.get(name) ?? ""}
                  maxLength={4000}
                />
              )}
          </FormField>
        </div>
      ))}
      <p class="quiet">
        What you type here is stored, never shown again, and sent to this server only.
      </p>
    </fieldset>
  );
}
