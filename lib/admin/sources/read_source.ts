import { isAddress } from "../../import/fetching/location.ts";
import { kindOfTracker } from "../../import/kinds/known_kinds.ts";
import { locationOfPage } from "../../import/kinds/page_addresses.ts";
import { originsOf, type WrittenEntry } from "../../import/sources/configured_source.ts";
import { separateSecrets } from "../../import/sources/entry_secrets.ts";
import { parseSource, type SourceEntry } from "../../import/sources/source_config.ts";
import { listVariables, VALUE } from "../../import/sources/source_secrets.ts";
import type { TypedSecrets } from "../../import/sources/stored_sources_sql.ts";
import { basicAuthorization, splitLogin } from "../../text/secrets.ts";

/** How a source is signed in to, as the menu of the form has it. */
export const SIGN_INS = {
  keep: "As it is now",
  none: "No sign-in",
  token: "A token",
  login: "A user with a password or token",
  header: "A header of its own",
  client: "OAuth2 client credentials",
} as const;

/** Keys of an entry that are texts, each with a field of its own; empty: absent. */
const OPTIONAL = ["announcements"] as const;
/** The fields that lib/ui/admin/source_form.tsx shows; what is wrong elsewhere is said at "from". */
const SOURCE_FIELDS = [
  ...["name", "from", "every_minutes", ...OPTIONAL, "sign_in"],
  ...["user", "secret", "header", "token_url", "client_id", "scope"],
] as const;

/** A source as a form or JSON describes it. */
export interface SourceDraft {
  readonly name: string;
  /** Without the name. */
  readonly entry: WrittenEntry;
  readonly secrets: TypedSecrets;
  /** What is wrong with it, by the path in its entry or the field of the form. */
  readonly mistakes: readonly { readonly path: string; readonly reason: string }[];
}

type SourceBefore = Pick<SourceDraft, "name" | "entry" | "secrets">;

const NEW: SourceBefore = { name: "", entry: {}, secrets: {} };

/** What `env:NAME` calls the secret of a source that operators add: it has one. */
const SECRET = "SECRET";

/**
 * Reads the form of a source. What it has no field for stays as it was; what was typed as a secret
 * is stored apart, and `env:SECRET` stands for it.
 */
export function readSourceForm(
  form: URLSearchParams,
  { before = NEW, gitlabUrl }: { before?: SourceBefore; gitlabUrl: string },
): SourceDraft {
  const read = (name: typeof SOURCE_FIELDS[number]) => form.get(name)?.trim() ?? "";
  const from = locationOfPage(read("from"), { gitlabUrl });
  const entry: WrittenEntry = {
    ...before.entry,
    from,
    every_minutes: Number(read("every_minutes")),
  };
  for (const key of ["headers", "auth", ...OPTIONAL]) delete entry[key];
  for (const key of OPTIONAL) if (read(key) !== "") entry[key] = read(key);
  const draft = { name: before.name || read("name"), entry, before };
  // A user in the address is how a source is signed in to.
  const signIn = splitLogin(from).login === null ? read("sign_in") || "none" : "none";
  if (signIn === "keep") {
    const kept = pick(before.entry, ["headers", "auth"]);
    return completeDraft({ ...draft, entry: { ...entry, ...kept } });
  }
  return completeDraft({ ...draft, signIn: signInOf(signIn, read) });
}

/**
 * Reads a source as JSON, as a file of ROADMAP_CONFIG has it. A secret that stands in it is stored
 * apart, as one of the form.
 */
export function readSourceJson(written: WrittenEntry, before: SourceBefore): SourceDraft {
  return completeDraft({ name: before.name, entry: written, before });
}

/** What is wrong with a source, by the field of the form. */
export function errorsOf({ mistakes }: SourceDraft): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, reason } of mistakes) errors[fieldOf(path)] ??= reason;
  return errors;
}

/** How a source is signed in to: a part of its entry, and what was typed as its secret. */
interface SignInParts {
  readonly entry: WrittenEntry;
  readonly secret: string | null;
}

function completeDraft({ name, entry: given, signIn = { entry: {}, secret: null }, before }: {
  name: string;
  entry: WrittenEntry;
  signIn?: SignInParts;
  before: SourceBefore;
}): SourceDraft {
  const mistakes: SourceDraft["mistakes"][number][] = [];
  const from = String(given.from ?? "");
  const kept = listVariables({ ...given, from });
  let { secret } = signIn;
  const { name: _, ...entry } = separateSecrets({ name, ...given, from, ...signIn.entry }, {
    keep({ value, path, isSure }) {
      const isOther = kept.length > 0 || (secret ?? value) !== value;
      if (isOther && !isSure) return value;
      if (isOther) mistakes.push({ path, reason: SECOND });
      secret ??= value;
      return `env:${SECRET}`;
    },
    refuse(text, path) {
      mistakes.push({ path, reason: INSEPARABLE });
      return text;
    },
  });
  if (signIn.secret !== null && kept.length > 0) mistakes.push({ path: "secret", reason: SECOND });
  if (secret === "") {
    mistakes.push({ path: "secret", reason: "Enter the token, password or secret" });
  } else if (secret !== null && !VALUE.test(secret)) {
    mistakes.push({ path: "secret", reason: "Use at most 4,000 printable ASCII characters" });
  }
  const parsed = parseSource({ name, ...entry });
  for (const line of parsed.mistakes) {
    const [, path, reason] = /^(.*?): (.*)$/s.exec(line)!;
    mistakes.push({ path: path!, reason: reason!.charAt(0).toUpperCase() + reason!.slice(1) });
  }
  if (from !== "" && !isAddress(from) && kindOfTracker(from) === null) {
    const reason = "Enter an address that begins with https://, or that of a tracker";
    mistakes.push({ path: "from", reason });
  }
  if (parsed.source === null) return { name, entry, secrets: {}, mistakes };
  if (kept.some((variable) => !Object.hasOwn(before.secrets, variable))) {
    mistakes.push({ path: "sign_in", reason: "Enter the credentials again" });
  } else if (kept.length > 0 && !isSameServer(parsed.source, before)) {
    mistakes.push({
      path: "sign_in",
      reason:
        "The address is on another server: enter the credentials again, or choose “No sign-in”",
    });
  }
  const secrets = { ...pick(before.secrets, kept), ...secret !== null && { [SECRET]: secret } };
  return { name, entry, secrets, mistakes };
}

const SECOND = "A source that is added here has one secret, and this is another one: leave one " +
  "out, or set the source up in a file of ROADMAP_CONFIG";
const INSEPARABLE = "Take the user, password or key out: only the address of the source, its " +
  "headers and its body as JSON can have one";

/** What was typed for one server does not go to another one. */
function isSameServer(source: SourceEntry, before: SourceBefore): boolean {
  const origins = originsOf(before.entry as SourceEntry);
  return originsOf(source).every((origin) => origins.includes(origin));
}

/** The headers or the token server by which a source is signed in to. */
function signInOf(
  signIn: string,
  read: (name: typeof SOURCE_FIELDS[number]) => string,
): SignInParts {
  const secret = read("secret");
  const variable = `env:${SECRET}`;
  switch (signIn) {
    case "token":
      return {
        entry: { headers: { Authorization: variable } },
        secret: secret && `Bearer ${secret}`,
      };
    case "login":
      return {
        entry: { headers: { Authorization: variable } },
        secret: secret && basicAuthorization(`${read("user")}:${secret}`),
      };
    case "header":
      return { entry: { headers: { [read("header")]: variable } }, secret };
    case "client": {
      const [token_url, client_id, scope] = [read("token_url"), read("client_id"), read("scope")];
      const client = {
        token_url,
        client_id,
        client_secret: variable,
        ...scope !== "" && { scope },
      };
      return { entry: { auth: { client_credentials: client } }, secret };
    }
    default:
      return { entry: {}, secret: null };
  }
}

/** The field of the form that has a key of an entry. */
function fieldOf(path: string): string {
  if (path.startsWith("headers")) return "header";
  const key = path.split(/[.[]/).at(-1)!;
  return (SOURCE_FIELDS as readonly string[]).includes(key) ? key : "from";
}

function pick<Value>(
  from: Readonly<Record<string, Value>>,
  keys: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(keys.flatMap((key) => key in from ? [[key, from[key]!]] : []));
}

/** The menu's choice for an entry: what is stored stays, unless another one is made. */
export function signInNow({ headers, auth }: WrittenEntry): keyof typeof SIGN_INS {
  return headers !== undefined || auth !== undefined ? "keep" : "none";
}
